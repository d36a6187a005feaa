const ATOM = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const HEX_4 = /[0-9a-fA-F]{4}/y
const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

type Expecting = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing'

/**
 * Where a text stops being JSON, as an offset in UTF-16 units, or undefined when it is JSON.
 * The engine's own message names a position for some faults only; this one reads the grammar of RFC 8259 up to the fault,
 * looking at each character a bounded number of times: bodies come from anybody.
 */
export function jsonErrorOffset(text: string): number | undefined {
  const open: string[] = []
  let expecting: Expecting = 'value'
  let offset = 0
  for (;;) {
    while (isSpace(text.charCodeAt(offset))) offset += 1
    if (offset === text.length) return expecting === 'nothing' ? undefined : offset
    const end = endOfToken(text, offset)
    if (end === undefined) return offset
    const next = after(text[offset]!, expecting, open)
    if (next === undefined) return offset
    expecting = next
    offset = end
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Undefined when no token begins here, or the one that does is at fault. */
function endOfToken(text: string, begin: number): number | undefined {
  switch (text[begin]) {
    case '{':
    case '[':
    case '}':
    case ']':
    case ':':
    case ',':
      return begin + 1
    case '"':
      return endOfString(text, begin + 1)
    default:
      return endOfMatch(ATOM, text, begin)
  }
}

function endOfString(text: string, begin: number): number | undefined {
  let at = begin
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < FIRST_PRINTABLE) return undefined
    if (code !== BACKSLASH) at += 1
    else if ('"\\/bfnrt'.includes(text[at + 1] ?? ' ')) at += 2
    else if (text[at + 1] === 'u' && endOfMatch(HEX_4, text, at + 2) !== undefined) at += 6
    else return undefined
  }
  return undefined
}

function endOfMatch(sticky: RegExp, text: string, begin: number): number | undefined {
  sticky.lastIndex = begin
  return sticky.test(text) ? sticky.lastIndex : undefined
}

/**
 * The next thing expected after a token, which its first character tells, or undefined when the token may not stand here.
 * Keeps `open`, the brackets not yet closed.
 */
function after(token: string, expecting: Expecting, open: string[]): Expecting | undefined {
  switch (token) {
    case '{':
    case '[':
      if (expecting !== 'value' && expecting !== 'value or ]') return undefined
      open.push(token)
      return token === '{' ? 'name or }' : 'value or ]'
    case '}':
    case ']': {
      const fits = expecting === ', or end' || expecting === (token === '}' ? 'name or }' : 'value or ]')
      if (!fits || open.pop() !== (token === '}' ? '{' : '[')) return undefined
      return closed(open)
    }
    case ':':
      return expecting === ':' ? 'value' : undefined
    case ',':
      if (expecting !== ', or end') return undefined
      return open.at(-1) === '{' ? 'name' : 'value'
    default:
      if (token === '"' && (expecting === 'name' || expecting === 'name or }')) return ':'
      return expecting === 'value' || expecting === 'value or ]' ? closed(open) : undefined
  }
}

function closed(open: readonly string[]): Expecting {
  return open.length === 0 ? 'nothing' : ', or end'
}
