/** Where a schema keeps the names that others have for its fields; in the API's description as well. */
export const OTHER_NAMES = 'x-other-names'

export type OtherNames = Readonly<Record<string, readonly string[]>>

/** Letters that may be wrong in a short name and in a longer one. */
const SLIPS = { short: 1, long: 2 }
const SHORT_CHARS_MAX = 4

/** The known field that a name was probably meant to be: written in another way, called so elsewhere, or mistyped. */
export function didYouMean(name: string, known: readonly string[], otherNames: OtherNames = {}): string | undefined {
  const plain = plainly(name)
  const same = known.find((field) => plainly(field) === plain)
  if (same !== undefined) return same
  const elsewhere = known.find((field) => otherNames[field]?.some((other) => plainly(other) === plain))
  if (elsewhere !== undefined) return elsewhere
  const slipsMax = plain.length <= SHORT_CHARS_MAX ? SLIPS.short : SLIPS.long
  const near = known.map((field) => ({ field, slips: slipsBetween(plain, plainly(field), slipsMax) }))
  near.sort((one, other) => one.slips - other.slips)
  const [best] = near
  return best !== undefined && best.slips <= slipsMax && plain.length > 1 ? best.field : undefined
}

const plainly = (name: string) => name.replaceAll(/[-_ .]/g, '').toLowerCase()

/** Letters to add, drop or replace (Levenshtein); beyond `max` some number that is more. */
function slipsBetween(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1
  let before = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = before[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1)
      line.push(Math.min(replaced, before[column]! + 1, line[column - 1]! + 1))
    }
    before = line
  }
  return before[other.length]!
}

type SchemaNode = {
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  anyOf?: SchemaNode[]
  format?: string
  [OTHER_NAMES]?: OtherNames
}

/** The words for an unknown field of the object at an RFC 6901 pointer into a value of the schema. */
export function unknownField(schema: unknown, pointer: string, name: string): string {
  for (const { properties, [OTHER_NAMES]: otherNames } of schemasAt(schema, pointer)) {
    const meant = properties && didYouMean(name, Object.keys(properties), otherNames)
    if (meant !== undefined) return `is not a known field; did you mean ${meant}?`
  }
  return 'is not a known field'
}

/** Whether a value of the schema has a time at a pointer. */
export function isTimeAt(schema: unknown, pointer: string): boolean {
  return schemasAt(schema, pointer).some(({ format }) => format === 'date-time')
}

function schemasAt(schema: unknown, pointer: string): SchemaNode[] {
  const parts = pointer.split('/').slice(1)
  return parts
    .reduce<SchemaNode[]>(
      (nodes, part) =>
        nodes.flatMap((node) => within(node).flatMap((one) => one.properties?.[part] ?? one.items ?? [])),
      [schema as SchemaNode],
    )
    .flatMap(within)
}

function within(node: SchemaNode): SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(within)
}
