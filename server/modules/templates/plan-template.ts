import { Tokenizer, TokenKind } from 'liquidjs'
import { checkLiquid, liquidFault } from './language/check-liquid.ts'
import { CLOSE_LINK, openLink, PIXEL_PLACE } from './language/link-tag.ts'
import { htmlEngine, textEngine } from './language/liquid-engine.ts'
import { type ParsedTemplate, parseSources, type TemplateParts } from './language/parse-sources.ts'
import { findPlaces, type HtmlPlaces } from './layout/find-links.ts'
import type { LayOut, LayoutNote } from './layout/layout-job.ts'
import { madeText } from './layout/made-text.ts'
import { type LiquidMask, maskLiquid } from './layout/mask-liquid.ts'
import { isMjml, prepareMjml } from './layout/prepare-mjml.ts'
import type { TemplateFault, TemplateField } from './template-fault.ts'
import { BODY_CHARS_MAX, COMPILED_CHARS_MAX, LINKS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from './template-limits.ts'

/** `body` is MJML or HTML, with Liquid; without `text` the text part is made from it. */
export type TemplateSource = { subject: string; body: string; text: string | null }

/** All there is to know of a template before it is parsed: plain data, which goes from thread to thread. */
export type TemplatePlan = {
  /** The Liquid of each part; in that of the HTML links and the pixel stand between tags of ours. */
  parts: TemplateParts
  /** Whether the text part was made from the body: then the gaps that Liquid leaves in it are closed. */
  textIsMade: boolean
  /** The addresses of the HTML part's links, Liquid still in them; a link's place here is its index. */
  links: readonly string[]
  /** The names of the variables it reads, those it assigns itself left out. */
  variables: readonly string[]
  /** Size in memory once it is parsed, roughly: the length of its parts, the HTML's again for its encoded form. */
  chars: number
  /** Length of its tags and outputs: what it takes to parse it. */
  liquidChars: number
}

export type Planned =
  | { outcome: 'planned'; plan: TemplatePlan; warnings: TemplateFault[] }
  | { outcome: 'faulty'; faults: TemplateFault[] }

/**
 * Makes of a template's sources what is parsed and rendered: MJML made HTML, the text part made from it where none is
 * given, links found. Faults that an author can mend come back with their lines, all that are seen at once. `layOut` is
 * asked for MJML and for texts to make.
 */
export async function planTemplate(source: TemplateSource, layOut: LayOut): Promise<Planned> {
  const checks = {
    subject: check('subject', source.subject),
    body: check('body', source.body),
    text: check('text', source.text ?? ''),
  }
  const bodyIsSound = checks.body.faults.length === 0
  const mask = maskLiquid(source.body, checks.body.tokens)
  const laidOut = bodyIsSound
    ? await layOutBody(mask, { layOut, wantsText: source.text === null })
    : { faults: checks.body.faults }
  const faults = [...checks.subject.faults, ...('faults' in laidOut ? laidOut.faults : []), ...checks.text.faults]
  if (faults.length > 0 || 'faults' in laidOut) return { outcome: 'faulty', faults }
  try {
    const places = findPlaces(laidOut.html)
    if (places.links.length > LINKS_MAX) {
      return { outcome: 'faulty', faults: [bodyFault(null, `has more than ${LINKS_MAX} links`)] }
    }
    const { source: html, links } = withPlaces(laidOut.html, places, mask)
    const parts = { subject: source.subject, html, text: source.text ?? laidOut.text }
    const variables = variablesOf(parseSources(parts))
    const chars = parts.subject.length + 2 * html.length + parts.text.length
    const plan = { parts, textIsMade: source.text === null, links, variables, chars, liquidChars: liquidCharsIn(parts) }
    return { outcome: 'planned', plan, warnings: [...laidOut.warnings, ...emptinessOf(source)] }
  } catch (error) {
    // Each part was sound where the author wrote it: MJML has moved it out of its block.
    const { detail } = liquidFault(error)
    return { outcome: 'faulty', faults: [bodyFault(null, `Liquid blocks and MJML elements overlap: ${detail}`)] }
  }
}

const NO_NUMBER = /\bNaN/

const CHARS_MAX: Record<TemplateField, number> = {
  subject: SUBJECT_CHARS_MAX,
  body: BODY_CHARS_MAX,
  text: TEXT_CHARS_MAX,
}

function check(field: TemplateField, source: string) {
  const most = CHARS_MAX[field]
  if (source.length <= most) return checkLiquid(field, source)
  return { tokens: [], faults: [{ field, line: null, detail: `has more than ${most} characters` }] }
}

type LaidOut = { html: string; text: string; warnings: TemplateFault[] }

/** The body as HTML, its Liquid still masked, and as text with its Liquid. */
async function layOutBody(
  mask: LiquidMask,
  { layOut, wantsText }: { layOut: LayOut; wantsText: boolean },
): Promise<LaidOut | { faults: readonly TemplateFault[] }> {
  const mjml = isMjml(mask.masked)
  if (!mjml && !wantsText) return { html: mask.masked, text: '', warnings: [] }
  const prepared = mjml ? prepareMjml(mask) : { source: mask.masked, before: '', after: '', faults: [], warnings: [] }
  if (prepared.faults.length > 0) return { faults: prepared.faults }
  const result = await layOut({ kind: mjml ? 'mjml' : 'html', source: prepared.source, wantsText })
  if (result.outcome === 'failed') return { faults: [bodyFault(null, mask.restore(result.message))] }
  const { faults, warnings } = judgeNotes(result.notes, mask)
  if (faults.length > 0) return { faults }
  const html = prepared.before + result.html + prepared.after
  if (html.length > COMPILED_CHARS_MAX) {
    return { faults: [bodyFault(null, `compiles to more than ${COMPILED_CHARS_MAX} characters of HTML`)] }
  }
  const text = prepared.before + madeText(result, mask) + prepared.after
  return { html, text: mask.restore(text), warnings: [...prepared.warnings, ...warnings, ...sizeWarnings(html, mask)] }
}

/** MJML computes with sizes, and writes that they are no numbers into the HTML. */
function sizeWarnings(html: string, { masked }: LiquidMask): TemplateFault[] {
  if (!NO_NUMBER.test(html) || NO_NUMBER.test(masked)) return []
  return [bodyFault(null, 'has Liquid in a size that MJML computes with: it cannot know what number will be there')]
}

/** An attribute that MJML does not know does no harm; the rest would not be shown as it was meant. */
function judgeNotes(notes: readonly LayoutNote[], mask: LiquidMask) {
  const found: Record<'faults' | 'warnings', TemplateFault[]> = { faults: [], warnings: [] }
  for (const { line, element, message } of notes) {
    // The value that Liquid will give an attribute is not known yet.
    if (message.search(mask.marks) !== -1) continue
    const harmless = message.endsWith('illegal') || message.includes('mj-title')
    found[harmless ? 'warnings' : 'faults'].push(bodyFault(line, `${element}: ${message}`))
  }
  return found
}

/** The HTML with its Liquid back, each link's address and the place of the open pixel between tags of ours. */
function withPlaces(masked: string, places: HtmlPlaces, mask: LiquidMask) {
  const links: string[] = []
  let source = ''
  let from = 0
  const put = (until: number, piece: string, to = until) => {
    source += masked.slice(from, until) + piece
    from = to
  }
  for (const { href, begin, end } of places.links) {
    const address = mask.restore(href)
    if (!standsAlone(address)) continue
    if (begin > places.bodyEnd && from <= places.bodyEnd) put(places.bodyEnd, PIXEL_PLACE)
    put(begin, `${openLink(links.length)}${href}${CLOSE_LINK}`, end)
    links.push(address)
  }
  if (from <= places.bodyEnd) put(places.bodyEnd, PIXEL_PLACE)
  put(masked.length, '')
  return { source: mask.restore(source), links }
}

function standsAlone(liquid: string): boolean {
  if (!liquid.includes('{')) return true
  try {
    htmlEngine.parse(liquid)
    return true
  } catch {
    return false
  }
}

function variablesOf({ subject, html, text }: ParsedTemplate): string[] {
  const names = [
    ...textEngine.globalVariablesSync([...subject]),
    ...htmlEngine.globalVariablesSync([...html]),
    ...textEngine.globalVariablesSync([...text]),
  ]
  return [...new Set(names)].sort()
}

function liquidCharsIn({ subject, html, text }: TemplateParts): number {
  const liquid = [subject, html, text].flatMap((part) =>
    new Tokenizer(part).readTopLevelTokens(textEngine.options).filter(({ kind }) => kind !== TokenKind.HTML),
  )
  return liquid.reduce((sum, { begin, end }) => sum + end - begin, 0)
}

function emptinessOf({ subject, body }: TemplateSource): TemplateFault[] {
  const empty = (field: TemplateField): TemplateFault => ({ field, line: null, detail: 'is empty' })
  return [...(subject.trim() === '' ? [empty('subject')] : []), ...(body.trim() === '' ? [empty('body')] : [])]
}

function bodyFault(line: number | null, detail: string): TemplateFault {
  return { field: 'body', line, detail }
}
