/** A range of a mail's source. */
export type Range = { begin: number; end: number }
/** An attribute with the range of its whole and that of its value, within the quotes. */
export type Attribute = Range & { name: string; value: string; valueBegin: number; valueEnd: number; quote: string }

export type Token =
  | (Range & { kind: 'text' | 'comment' })
  | (Range & { kind: 'open'; name: string; attributes: Attribute[]; isSelfClosing: boolean })
  | (Range & { kind: 'close'; name: string })

const SPACE = ' \t\r\n\f'
const NAME_BEGINS = /[a-z]/i

/** The tags and outputs of Liquid, in order; one that does not end is none. */
export function liquidOf(source: string): Range[] {
  const found: Range[] = []
  for (let at = source.indexOf('{'); at !== -1; at = source.indexOf('{', at)) {
    const next = source[at + 1]
    const end = next === '{' ? endOfOutput(source, at) : next === '%' ? source.indexOf('%}', at + 2) + 2 : 0
    if (end === 1 || end === -1) break
    if (end > 0) found.push({ begin: at, end })
    at = Math.max(end, at + 1)
  }
  return found
}

/** An output may hold its own closing braces in quotes. */
function endOfOutput(source: string, begin: number): number {
  for (let at = begin + 2; at < source.length; at += 1) {
    const sign = source[at]!
    if (sign === '}' && source[at + 1] === '}') return at + 2
    if (sign !== '"' && sign !== "'") continue
    const closing = source.indexOf(sign, at + 1)
    if (closing === -1) continue
    at = closing
  }
  return -1
}

/** The source with a word of the same length in the place of each piece of Liquid: quotes and brackets in it are none. */
function withoutLiquid(source: string, liquid: readonly Range[]): string {
  let masked = ''
  let from = 0
  for (const { begin, end } of liquid) {
    masked += source.slice(from, begin) + 'x'.repeat(end - begin)
    from = end
  }
  return masked + source.slice(from)
}

/** The tags, comments and texts of a mail, in order and without gaps, as the server reads them. */
export function scanMail(source: string, liquid: readonly Range[]): Token[] {
  const masked = withoutLiquid(source, liquid)
  const tokens: Token[] = []
  let textBegin = 0
  let at = masked.indexOf('<')
  while (at !== -1) {
    const token = tokenAt(source, masked, at)
    if (token === 'endless') break
    if (token !== undefined) {
      if (at > textBegin) tokens.push({ kind: 'text', begin: textBegin, end: at })
      tokens.push(token)
      textBegin = token.end
    }
    at = masked.indexOf('<', token?.end ?? at + 1)
  }
  if (textBegin < source.length) tokens.push({ kind: 'text', begin: textBegin, end: source.length })
  return tokens
}

function tokenAt(source: string, masked: string, begin: number): Token | 'endless' | undefined {
  const until = (closing: string, from: number) => {
    const found = masked.indexOf(closing, from)
    return found === -1 ? masked.length : found + closing.length
  }
  const next = masked[begin + 1] ?? ''
  if (masked.startsWith('<!--', begin)) return { kind: 'comment', begin, end: until('-->', begin + 4) }
  if (masked.startsWith('<![CDATA[', begin)) return { kind: 'comment', begin, end: until(']]>', begin + 9) }
  if (next === '!' || next === '?') return { kind: 'comment', begin, end: until('>', begin + 2) }
  if (next === '/' && NAME_BEGINS.test(masked[begin + 2] ?? '')) {
    return { kind: 'close', begin, end: until('>', begin + 2), name: nameAt(masked, begin + 2).toLowerCase() }
  }
  return NAME_BEGINS.test(next) ? openTagAt(source, masked, begin) : undefined
}

function nameAt(masked: string, begin: number): string {
  return masked.slice(
    begin,
    skip(masked, begin, (sign) => !`${SPACE}/>`.includes(sign)),
  )
}

function skip(text: string, from: number, isSkipped: (sign: string) => boolean): number {
  let at = from
  while (at < text.length && isSkipped(text[at]!)) at += 1
  return at
}

const isSpace = (sign: string) => SPACE.includes(sign)

function openTagAt(source: string, masked: string, begin: number): Token | 'endless' {
  const name = nameAt(masked, begin + 1).toLowerCase()
  const attributes: Attribute[] = []
  let at = begin + 1 + name.length
  for (;;) {
    at = skip(masked, at, isSpace)
    const sign = masked[at]
    if (sign === undefined) return 'endless'
    if (sign === '>') return { kind: 'open', begin, end: at + 1, name, attributes, isSelfClosing: false }
    if (sign === '/') {
      if (masked[at + 1] === '>') return { kind: 'open', begin, end: at + 2, name, attributes, isSelfClosing: true }
      at += 1
      continue
    }
    const attribute = attributeAt(source, masked, at)
    if (attribute === undefined) return 'endless'
    attributes.push(attribute)
    at = attribute.end
  }
}

function attributeAt(source: string, masked: string, begin: number): Attribute | undefined {
  const nameEnd = skip(masked, begin + 1, (sign) => !`${SPACE}/>=`.includes(sign))
  const name = source.slice(begin, nameEnd).toLowerCase()
  const equals = skip(masked, nameEnd, isSpace)
  if (masked[equals] !== '=') {
    return { name, begin, end: nameEnd, value: '', valueBegin: nameEnd, valueEnd: nameEnd, quote: '' }
  }
  const from = skip(masked, equals + 1, isSpace)
  const sign = masked[from] ?? ''
  const quote = sign === '"' || sign === "'" ? sign : ''
  const valueBegin = from + quote.length
  const valueEnd =
    quote === '' ? skip(masked, from, (one) => !isSpace(one) && one !== '>') : masked.indexOf(quote, valueBegin)
  if (valueEnd === -1) return undefined
  const value = source.slice(valueBegin, valueEnd)
  return { name, begin, end: valueEnd + quote.length, value, valueBegin, valueEnd, quote }
}
