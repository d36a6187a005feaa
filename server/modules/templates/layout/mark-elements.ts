import { TokenKind, type TopLevelToken } from 'liquidjs'
import { type HtmlToken, type OpenTag, scanHtml } from '../../../platform/html/scan-html.ts'
import { checkLiquid } from '../language/check-liquid.ts'
import { BODY_CHARS_MAX } from '../template-limits.ts'
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
 * repeated, as one of its own replaces it. Other bodies, and those that would become too long, stay as they are.
 */
export function markElements(body: string): string {
  const liquid = checkLiquid('body', body)
  if (liquid.faults.length > 0) return body
  const tokens = scanHtml(withoutLiquid(body, liquid.tokens))
  const classes = defaultClasses(body, tokens)
  let marked = ''
  let from = 0
  for (const { tag, around } of elementsOf(tokens)) {
    if (!SHOWN.has(tag.name) || !around.includes('mj-body')) continue
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

/** Words of the same length in the place of Liquid: every offset stays. */
function withoutLiquid(body: string, liquid: readonly TopLevelToken[]): string {
  return liquid
    .map(({ kind, begin, end }) => (kind === TokenKind.HTML ? body.slice(begin, end) : 'x'.repeat(end - begin)))
    .join('')
}

/** The elements of MJML with the names of those around them, the outermost first, without what stands in their contents. */
function* elementsOf(tokens: readonly HtmlToken[]): Generator<{ tag: OpenTag; around: readonly string[] }> {
  const open: string[] = []
  for (const token of tokens) {
    const within = open.at(-1)
    if (token.kind === 'close' && token.name === within) open.pop()
    else if (token.kind === 'open' && (within === undefined || !holdsText(within))) {
      yield { tag: token, around: open }
      if (!token.selfClosing) open.push(token.name)
    }
  }
}

type Classes = { ofElement: Map<string, string>; ofClass: Map<string, string> }

function defaultClasses(body: string, tokens: readonly HtmlToken[]): Classes {
  const found: Classes = { ofElement: new Map(), ofClass: new Map() }
  for (const { tag, around } of elementsOf(tokens)) {
    if (around.at(-1) !== 'mj-attributes') continue
    const value = attributeValue(body, tag, CLASS)
    if (value === undefined) continue
    if (tag.name === 'mj-class') found.ofClass.set(attributeValue(body, tag, 'name') ?? '', value)
    else found.ofElement.set(tag.name, value)
  }
  return found
}

function inheritedClass(body: string, tag: OpenTag, { ofElement, ofClass }: Classes): string {
  const named = (attributeValue(body, tag, 'mj-class') ?? '').split(' ').flatMap((name) => ofClass.get(name) ?? [])
  return named.length > 0 ? named.join(' ') : (ofElement.get(tag.name) ?? ofElement.get('mj-all') ?? '')
}

function attributeValue(body: string, tag: OpenTag, wanted: string): string | undefined {
  const found = tag.attributes.find(({ name }) => name === wanted)
  return found && body.slice(found.valueBegin, found.valueEnd)
}
