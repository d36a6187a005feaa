import { type JsonSchema, sampleOf } from './route-table.ts'

type Bounded = JsonSchema & {
  maxLength?: number
  maxItems?: number
  pattern?: string
  additionalProperties?: boolean | JsonSchema
  patternProperties?: Record<string, JsonSchema>
}

/** Fills of texts: what markup, templates, JSON, letters with marks and lines are made of. */
export const UNITS = ['<', '{{ a ', '" ', 'e\u0301', ' \t', '\\', 'a,"']

/** About what a value that is no text takes, with what stands around it. */
const VALUE_BYTES = 12
/** Names of an open object: many are worse than long ones. */
const NAME_BYTES = 8
const ITEM_BYTES = 64

/**
 * A body that fits the schema, as large as it may be within `bytesMax` as JSON: every field is there, texts are made of one
 * unit, lists are as long and open objects have as many names as they may.
 */
export function largestBody(schema: JsonSchema, { unit, bytesMax }: { unit: string; bytesMax: number }): string {
  for (let budget = bytesMax; ; budget = Math.floor(budget * 0.8)) {
    const text = JSON.stringify(largest(schema, unit, budget))
    if (Buffer.byteLength(text) <= bytesMax) return text
  }
}

function largest(schema: Bounded, unit: string, budget: number): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return largest(schema.anyOf.toSorted((a, b) => roomOf(b) - roomOf(a))[0]!, unit, budget)
  switch (typeOf(schema)) {
    case 'string': {
      if (!isFree(schema)) return sampleOf(schema)
      const chars = Math.max(1, Math.min(schema.maxLength ?? budget, budget))
      return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
    }
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? budget, Math.floor(budget / ITEM_BYTES)))
      return Array.from({ length: count }, () => largest(schema.items ?? {}, unit, budget / count))
    }
    case 'object':
      return largestObject(schema, unit, budget)
    default:
      return sampleOf(schema)
  }
}

/** What one field has no use for is the others'. */
function largestObject(schema: Bounded, unit: string, budget: number): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).toSorted(([, a], [, b]) => roomOf(a) - roomOf(b))
  if (fields.length === 0) {
    const names = Math.floor(budget / (NAME_BYTES + VALUE_BYTES))
    return Object.fromEntries(Array.from({ length: names }, (_, n) => [`n${n.toString(36)}`, unit]))
  }
  const object: Record<string, unknown> = {}
  let left = budget
  fields.forEach(([name, field], n) => {
    const share = Math.min(roomOf(field), left / (fields.length - n))
    left -= share
    object[name] = largest(field, unit, share)
  })
  return object
}

function roomOf(schema: Bounded): number {
  if (schema.const !== undefined || schema.enum) return VALUE_BYTES
  if (schema.anyOf) return Math.max(...schema.anyOf.map(roomOf))
  switch (typeOf(schema)) {
    case 'string':
      return isFree(schema) ? (schema.maxLength ?? Number.POSITIVE_INFINITY) : 2 * VALUE_BYTES
    case 'array':
      return (schema.maxItems ?? Number.POSITIVE_INFINITY) * roomOf(schema.items ?? {})
    case 'object': {
      const fields = Object.values(schema.properties ?? {})
      return fields.length === 0 ? Number.POSITIVE_INFINITY : fields.reduce((sum, field) => sum + roomOf(field), 0)
    }
    default:
      return VALUE_BYTES
  }
}

const typeOf = ({ type }: Bounded) => (Array.isArray(type) ? type.find((one) => one !== 'null') : type)
const isFree = ({ pattern, format }: Bounded) => pattern === undefined && format === undefined
