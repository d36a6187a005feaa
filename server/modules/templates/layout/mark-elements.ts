import { TokenKind, type TopLevelToken } from 'liquidjs'
import { type HtmlToken, type OpenTag, scanHtml } from '../../../platform/html/scan-html.ts'
import { checkLiquid } from '../language/check-liquid.ts'
import { BODY_CHARS_MAX, MJML_ELEMENTS_MAX } from '../template-limits.ts'
import { holdsText } from './prepare-mjml.ts'

/** A class that tells where the element behind it begins in the source: `mark-128`. */
const MARK = 'mark-'
/** Elements of the body that are shown, and take a class. */
const SHOWN = new Set(
  'wrapper section group column hero text button image divider spacer table social social-element navbar navbar-link accordion accordion-element carousel'
    .split(' ')
    .map((name) => `mj-${name}`),
)
const CLASS = 'css-class'

/**
 * A body of MJML whose elements carry the offset at which they begin, so that a place in what is seen leads to the place in
 * the source. Nothing else of what is seen changes: a class that an element had by `mj-class` or `mj-attributes` is
 * repeated, as one of its own replaces it. Other bodies, and those with more elements than are compiled or that would become
 * too long, stay as they are.
 */
export function markElements(body: string): string {
  const liquid = checkLiquid('body', body)
  if (liquid.faults.length > 0) return body
  const tokens = scanHtml(withoutLiquid(body, liquid.tokens))
  if (isTooMuch(tokens)) return body
  const classes = defaultClasses(body, tokens)
  let marked = ''
  let from = 0
  for (const { tag, isInBody } of elementsOf(tokens)) {
    if (marked.length > BODY_CHARS_MAX) return body
    if (!SHOWN.has(tag.name) || !isInBody) continue
    const own = tag.attributes.find(({ name }) => name === CLASS)
    const mark = `${MARK}${tag.begin}`
    if (own?.quoted) {
      marked += `${body.slice(from, own.valueEnd)} ${mark}`
      from = own.valueEnd
    } else if (own === undefined) {
      const nameEnd = tag.begin + 1 + tag.name.length
      const kept = inheritedClass(body, tag, classes)
      marked += `${body.slice(from, nameEnd)} ${CLASS}="${kept === '' ? mark : `${kept} ${mark}`}"`
      from = nameEnd
    }
  }
  marked += body.slice(from)
  return marked.length > BODY_CHARS_MAX ? body : marked
}

/** Whether there are more elements than the compiler takes: then its preview is a refusal, and has nothing to choose. */
function isTooMuch(tokens: readonly HtmlToken[]): boolean {
  return tokens.filter((token) => token.kind === 'open' && token.name.startsWith('mj')).length > MJML_ELEMENTS_MAX
}

/** Words of the same length in the place of Liquid: every offset stays. */
export function withoutLiquid(body: string, liquid: readonly TopLevelToken[]): string {
  return liquid
    .map(({ kind, begin, end }) => (kind === TokenKind.HTML ? body.slice(begin, end) : 'x'.repeat(end - begin)))
    .join('')
}

/** The elements of MJML with the name of the one around them, without what stands in their contents. */
function* elementsOf(
  tokens: readonly HtmlToken[],
): Generator<{ tag: OpenTag; within: string | undefined; isInBody: boolean }> {
  const open: string[] = []
  let bodies = 0
  for (const token of tokens) {
    const within = open.at(-1)
    if (token.kind === 'close' && token.name === within) {
      open.pop()
      if (within === 'mj-body') bodies -= 1
    } else if (token.kind === 'open' && (within === undefined || !holdsText(within))) {
      yield { tag: token, within, isInBody: bodies > 0 }
      if (token.selfClosing) continue
      open.push(token.name)
      if (token.name === 'mj-body') bodies += 1
    }
  }
}

type Classes = { ofElement: Map<string, string>; ofClass: Map<string, string> }

function defaultClasses(body: string, tokens: readonly HtmlToken[]): Classes {
  const found: Classes = { ofElement: new Map(), ofClass: new Map() }
  for (const { tag, within } of elementsOf(tokens)) {
    if (within !== 'mj-attributes') continue
    const value = attributeValue(body, tag, CLASS)
    if (value === undefined) continue
    if (tag.name === 'mj-class') found.ofClass.set(attributeValue(body, tag, 'name') ?? '', value)
    else found.ofElement.set(tag.name, value)
  }
  return found
}

function inheritedClass(body: string, tag: OpenTag, { ofElement, ofClass }: Classes): string {
  const names = new Set((attributeValue(body, tag, 'mj-class') ?? '').split(' '))
  const named = [...names].flatMap((name) => ofClass.get(name) ?? [])
  return named.length > 0 ? named.join(' ') : (ofElement.get(tag.name) ?? ofElement.get('mj-all') ?? '')
}

function attributeValue(body: string, tag: OpenTag, wanted: string): string | undefined {
  const found = tag.attributes.find(({ name }) => name === wanted)
  return found && body.slice(found.valueBegin, found.valueEnd)
}
