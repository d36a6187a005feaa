/** Fields by their name in lower case, each with its values in the order they stand. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** More than any report or header has; what is beyond is not read. */
const FIELDS_MAX = 1_000
const VALUE_CHARS_MAX = 4_000

const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/

/**
 * Groups of header fields, separated by empty lines: what delivery and feedback reports consist of (RFC 3464 section 2.1,
 * RFC 5965 section 3), and what a message begins with. Folded values are unfolded; lines that are no fields are passed over.
 */
export function readFieldGroups(text: string, groupsMax: number): Fields[] {
  const groups: Map<string, string[]>[] = []
  let group: Map<string, string[]> | undefined
  let values: string[] | undefined
  let fields = 0
  for (const line of linesOf(text)) {
    if (line.trim() === '') {
      group = undefined
      values = undefined
      continue
    }
    const folded = line[0] === ' ' || line[0] === '\t'
    if (folded) {
      const last = values?.at(-1)
      if (values && last !== undefined && last.length < VALUE_CHARS_MAX)
        values[values.length - 1] = `${last} ${line.trim()}`.trim()
      continue
    }
    const [, name, value] = FIELD.exec(line) ?? []
    values = undefined
    if (name === undefined || ++fields > FIELDS_MAX) continue
    if (group === undefined) {
      if (groups.length === groupsMax) break
      group = new Map()
      groups.push(group)
    }
    const key = name.toLowerCase()
    values = group.get(key) ?? []
    values.push(value!.trim().slice(0, VALUE_CHARS_MAX).trim())
    group.set(key, values)
  }
  return groups
}

export function firstOf(fields: Fields | undefined, name: string): string | null {
  return fields?.get(name)?.[0] ?? null
}

const LINE_CHARS_MAX = 10_000

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end === -1 ? text.length : end
    const line = text.slice(at, Math.min(stop, at + LINE_CHARS_MAX))
    yield line.endsWith('\r') ? line.slice(0, -1) : line
    at = stop + 1
  }
}
