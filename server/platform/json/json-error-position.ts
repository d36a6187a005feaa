const SPACE = /[ \t\n\r]*/y
const TOKEN =
  /(?<text>"(?:[^"\\\p{Cc}]+|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<atom>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))|[{}[\],:]/uy

type Expecting = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing'

/**
 * Where a text stops being JSON, as an offset in UTF-16 units, or undefined when it is JSON.
 * The engine's own message names a position for some faults only; this one reads the grammar of RFC 8259 up to the fault.
 */
export function jsonErrorOffset(text: string): number | undefined {
  const open: string[] = []
  let expecting: Expecting = 'value'
  let offset = 0
  for (;;) {
    SPACE.lastIndex = offset
    offset += SPACE.exec(text)?.[0].length ?? 0
    if (offset === text.length) return expecting === 'nothing' ? undefined : offset
    TOKEN.lastIndex = offset
    const match = TOKEN.exec(text)
    if (match === null) return offset
    const next = after(match, expecting, open)
    if (next === undefined) return offset
    expecting = next
    offset += match[0].length
  }
}

/**
 * The next thing expected, or undefined when the token may not stand here. Keeps `open`, the brackets not yet closed.
 */
function after(match: RegExpExecArray, expecting: Expecting, open: string[]): Expecting | undefined {
  const token = match[0]
  const valueFits = expecting === 'value' || expecting === 'value or ]'
  if (match.groups?.text !== undefined && (expecting === 'name' || expecting === 'name or }')) return ':'
  if (match.groups?.text !== undefined || match.groups?.atom !== undefined) return valueFits ? closed(open) : undefined
  switch (token) {
    case '{':
    case '[':
      if (!valueFits) return undefined
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
    default:
      if (expecting !== ', or end') return undefined
      return open.at(-1) === '{' ? 'name' : 'value'
  }
}

function closed(open: readonly string[]): Expecting {
  return open.length === 0 ? 'nothing' : ', or end'
}
