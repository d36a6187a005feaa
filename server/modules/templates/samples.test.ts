import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from 'htmlparser2'
import { wholeText } from '../../platform/mail/mail-text.ts'
import { compileTemplate } from './compile-template.ts'
import { mergeVariables, strangerAt } from './merge-variables.ts'
import { samplesFor } from './read-samples.ts'
import { renderMail } from './render-template.ts'
import type { SampleOwner } from './sample-of.ts'
import { SAMPLE_SENDER, SAMPLES } from './samples.ts'

/*
 * The samples as people see them, in daylight and in the dark: every word has a contrast of 4.5 with what is behind it
 * (WCAG 2.2, 1.4.3). Colours are those of inline styles and of the one style sheet, by as much of the cascade as the samples
 * use.
 */

const CONTRAST_MIN = 4.5
const HTML_BYTES_MAX = 40_000

async function rendered(sample: Awaited<ReturnType<typeof samplesFor>>[number]): Promise<string> {
  const compilation = await compileTemplate(sample)
  assert.ok(compilation.outcome === 'compiled', 'it has faults')
  assert.deepEqual(compilation.warnings, [])
  const variables = mergeVariables(
    { ...strangerAt('ada@example.com'), firstName: 'Ada' },
    {
      unsubscribeUrl: 'https://example.com/u',
      preferencesUrl: 'https://example.com/p',
      variables: { ...sample.variables, postal_address: '12 Mill Lane, York' },
    },
  )
  return wholeText((await renderMail(compilation.template, variables, null, { pixelUrl: null })).html)
}

type Style = Record<string, string>
/** `role`: as a selector by it. */
type Element = { name: string; role: string; classes: string[]; style: Style }
type Rule = { selector: string; style: Style }

const styleOf = (text: string): Style =>
  Object.fromEntries(
    text.split(';').flatMap((one) => {
      const [name, ...value] = one.split(':')
      return value.length === 0 ? [] : [[name!.trim().toLowerCase(), value.join(':').trim()]]
    }),
  )

function rulesIn(css: string): Rule[] {
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors, body]) =>
    selectors!.split(',').map((selector) => ({ selector: selector.trim(), style: styleOf(body!) })),
  )
}

/** The rules of daylight, and those that the dark adds. */
function sheetsOf(html: string): { light: Rule[]; dark: Rule[] } {
  const sheet = [...html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, css]) => css!).join('\n')
  const dark: string[] = []
  const light = sheet.replaceAll(
    /@media([^{]*)\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g,
    (_, condition: string, body: string) => {
      if (condition.includes('prefers-color-scheme: dark')) dark.push(body)
      return ''
    },
  )
  return { light: rulesIn(light), dark: rulesIn(dark.join('\n')) }
}

function isMatched(path: readonly Element[], selector: string): boolean {
  const parts = selector.split(/\s+/)
  const fits = (element: Element, part: string) =>
    part.startsWith('.') ? element.classes.includes(part.slice(1)) : part === element.name || part === element.role
  const last = path.at(-1)
  if (!last || !fits(last, parts.pop()!)) return false
  let from = path.length - 2
  for (const part of parts.toReversed()) {
    while (from >= 0 && !fits(path[from]!, part)) from--
    if (from < 0) return false
    from--
  }
  return true
}

const weightOf = (selector: string) =>
  selector.split(/\s+/).reduce((sum, part) => sum + (part.startsWith('.') ? 10 : part.includes('[') ? 11 : 1), 0)

/** A property of the innermost element: of rules that must hold, then its own style, then rules. */
function declared(path: readonly Element[], names: readonly string[], rules: readonly Rule[]): string | undefined {
  const found = rules.flatMap(({ selector, style }, n) => {
    const value = names.map((name) => style[name]).find((one) => one !== undefined)
    return value !== undefined && isMatched(path, selector) ? [{ value, weight: weightOf(selector), n }] : []
  })
  const strongest = (important: boolean) =>
    found
      .filter(({ value }) => value.includes('!important') === important)
      .sort((a, b) => a.weight - b.weight || a.n - b.n)
      .at(-1)?.value
  const own = names.map((name) => path.at(-1)!.style[name]).find((one) => one !== undefined)
  return (strongest(true) ?? own ?? strongest(false))?.replace('!important', '').trim()
}

const COLOUR = /#[0-9a-f]{3,6}\b/i

function inherited(path: readonly Element[], names: readonly string[], rules: readonly Rule[]): string {
  for (let depth = path.length; depth > 0; depth--) {
    const colour = COLOUR.exec(declared(path.slice(0, depth), names, rules) ?? '')?.[0]
    if (colour) return colour
  }
  return names.includes('color') ? '#000000' : '#ffffff'
}

function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Words of a document with their colours. */
function wordsOf(html: string, rules: readonly Rule[]): { text: string; colour: string; behind: string }[] {
  const path: Element[] = []
  const words: { text: string; colour: string; behind: string }[] = []
  const parser = new Parser({
    onopentag(name, { class: classes = '', style = '', bgcolor, role }) {
      const own = styleOf(style)
      if (bgcolor && own.background === undefined) own['background-color'] ??= bgcolor
      path.push({ name, role: `${name}[role="${role}"]`, classes: classes.split(/\s+/), style: own })
    },
    ontext(text) {
      const isShown = !path.some(
        ({ name, style }) => ['head', 'style', 'title'].includes(name) || style.display === 'none',
      )
      // Characters that fill a preview up, and those that divide words, are read by nobody.
      if (!isShown || !/[\p{L}\p{N}]/u.test(text)) return
      const colour = inherited(path, ['color'], rules)
      words.push({ text: text.trim(), colour, behind: inherited(path, ['background-color', 'background'], rules) })
    },
    onclosetag: () => void path.pop(),
  })
  parser.end(html)
  return words
}

/** Nobody's, and those of workspaces whose colours are as bad for words as colours are. */
const OWNERS: readonly SampleOwner[] = [
  { name: null, color: null },
  { name: 'Müller & {{ sons }}', color: '#ffe600' },
  { name: 'Müller & <Sons>', color: '#0a0a0a' },
  { name: 'Grey', color: '#808080' },
]

for (const { key } of SAMPLES) {
  test(`every word of the sample ${key} can be read, by day and in the dark, in anybody’s colour`, async () => {
    for (const owner of OWNERS) {
      const html = await rendered((await samplesFor(owner)).find((sample) => sample.key === key)!)
      assert.match(html, /<meta name="color-scheme" content="light dark"/)
      const { light, dark } = sheetsOf(html)
      assert.ok(dark.length > 0, 'it has no design for the dark')
      for (const [when, rules] of [['by day', light] as const, ['in the dark', [...light, ...dark]] as const]) {
        const words = wordsOf(html, rules)
        assert.ok(words.length > 7, `${words.length} texts`)
        const weak = words.flatMap(({ text, colour, behind }) => {
          const ratio = contrast(colour, behind)
          return ratio < CONTRAST_MIN ? [`${text}: ${colour} on ${behind} is ${ratio.toFixed(2)}`] : []
        })
        assert.deepEqual(weak, [], `${when}, ${owner.color}`)
      }
    }
  })
}

test('each is small, says its language, and is whole for who has it read out', async () => {
  for (const sample of await samplesFor({ name: null, color: null })) {
    const html = await rendered(sample)
    assert.ok(Buffer.byteLength(html) < HTML_BYTES_MAX, `${sample.key}: ${Buffer.byteLength(html)} bytes`)
    assert.match(html, /<html lang="en"/, sample.key)
    assert.match(html, /role="article"/, sample.key)
    assert.ok(!/<img|<link|\bsrc=|url\(|@import/.test(html), `${sample.key} loads something`)
    // A style sheet that puts them on lines of their own is not read by everybody, and never in the text part.
    assert.doesNotMatch(html, /<\/(?:strong|b|a|span)>\w/, `${sample.key} has words without a space between them`)
    // A table either lays out, and says so, or has heads that say of what its cells are.
    for (const [, table] of html.matchAll(/(<table[\s\S]*?)(?=<table|<\/table>)/g)) {
      assert.ok(/^<table[^>]*role="presentation"/.test(table!) || /<th scope=/.test(table!), `${sample.key}: ${table}`)
    }
  }
})

test('a name and a colour of one’s own are in it, and a name is never markup', async () => {
  const samples = await samplesFor({ name: 'Müller & <Sons>', color: '#ffe600' })
  for (const sample of samples) {
    assert.ok(!sample.body.includes(SAMPLE_SENDER), sample.key)
    assert.ok((await rendered(sample)).includes('Müller &amp; &lt;Sons&gt;'), sample.key)
    const { accent } = SAMPLES.find(({ key }) => key === sample.key)!
    assert.ok(accent === null || !sample.body.includes(accent.day), sample.key)
  }
  const [asTag] = await samplesFor({ name: '{{ subject }}', color: null })
  assert.ok(asTag?.body.includes(SAMPLE_SENDER))
})
