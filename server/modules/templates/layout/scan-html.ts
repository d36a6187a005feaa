/** An attribute of an opening tag; positions are offsets into the source. A value in quotes begins after them. */
export type HtmlAttribute = { name: string; begin: number; valueBegin: number; valueEnd: number; quoted: boolean }

export type HtmlToken =
  | { kind: 'text' | 'comment'; begin: number; end: number }
  | { kind: 'open'; begin: number; end: number; name: string; attributes: HtmlAttribute[]; selfClosing: boolean }
  | { kind: 'close'; begin: number; end: number; name: string }

const TAG_NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE_NAME = /[^\s/>=][^\s/>=]*/y
const UNQUOTED = /[^\s>]*/y
const SPACE = /\s*/y
/** Elements whose content is no HTML. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title'])

/**
 * The tags, comments and texts of HTML or MJML, in order and without gaps. Lenient as mail programs are, and linear in the
 * length of the source whatever stands in it: what is not closed goes on to the end.
 */
export function* scanHtml(source: string): Generator<HtmlToken, void, undefined> {
  let at = 0
  let textFrom = 0
  while (at < source.length) {
    const open = source.indexOf('<', at)
    const token = open === -1 ? undefined : tokenAt(source, open)
    if (open === -1) break
    if (token === undefined) {
      at = open + 1
      continue
    }
    if (open > textFrom) yield { kind: 'text', begin: textFrom, end: open }
    yield token
    at = textFrom = token.end
    if (token.kind === 'open' && !token.selfClosing && RAW_TEXT.has(token.name)) at = endOfRawText(source, token)
  }
  if (textFrom < source.length) yield { kind: 'text', begin: textFrom, end: source.length }
}

function tokenAt(source: string, begin: number): HtmlToken | undefined {
  if (source.startsWith('<!--', begin)) return { kind: 'comment', begin, end: after(source, '-->', begin + 4) }
  if (source[begin + 1] === '!' || source[begin + 1] === '?') {
    return { kind: 'comment', begin, end: after(source, '>', begin + 2) }
  }
  const closing = source[begin + 1] === '/'
  const name = match(TAG_NAME, source, begin + (closing ? 2 : 1))?.toLowerCase()
  if (name === undefined) return undefined
  const nameEnd = begin + (closing ? 2 : 1) + name.length
  if (closing) return { kind: 'close', begin, end: after(source, '>', nameEnd), name }
  return { kind: 'open', begin, name, ...readAttributes(source, nameEnd) }
}

function readAttributes(source: string, from: number) {
  const attributes: HtmlAttribute[] = []
  let at = from
  let selfClosing = false
  while (at < source.length && source[at] !== '>') {
    const begin = at
    const name = match(ATTRIBUTE_NAME, source, at)
    if (name === undefined) {
      selfClosing = source[at] === '/' && source[at + 1] === '>'
      at += 1
      continue
    }
    at += name.length
    const equals = at + match(SPACE, source, at)!.length
    if (source[equals] !== '=') {
      attributes.push({ name: name.toLowerCase(), begin, valueBegin: at, valueEnd: at, quoted: false })
      continue
    }
    const value = readValue(source, equals + 1 + match(SPACE, source, equals + 1)!.length)
    attributes.push({ name: name.toLowerCase(), begin, ...value.span })
    at = value.end
  }
  return { attributes, selfClosing, end: Math.min(at + 1, source.length) }
}

function readValue(source: string, begin: number) {
  const quote = source[begin]
  if (quote === '"' || quote === "'") {
    const close = source.indexOf(quote, begin + 1)
    const valueEnd = close === -1 ? source.length : close
    return { span: { valueBegin: begin + 1, valueEnd, quoted: true }, end: valueEnd + 1 }
  }
  const valueEnd = begin + match(UNQUOTED, source, begin)!.length
  return { span: { valueBegin: begin, valueEnd, quoted: false }, end: valueEnd }
}

function endOfRawText(source: string, { name, end }: { name: string; end: number }): number {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi')
  close.lastIndex = end
  return close.exec(source)?.index ?? source.length
}

function match(sticky: RegExp, source: string, at: number): string | undefined {
  sticky.lastIndex = at
  return sticky.exec(source)?.[0]
}

function after(source: string, text: string, from: number): number {
  const found = source.indexOf(text, from)
  return found === -1 ? source.length : found + text.length
}
