import { assertNever } from '../../platform/assert-never.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { toUtc } from '../../platform/rfc3339.ts'

export const FIELD_TYPES = ['string', 'number', 'boolean', 'datetime'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
const NUMBER_TEXT_CHARS_MAX = 300

/** The answer to a value that does not fit. */
export const UNFIT: Readonly<Record<FieldType, string>> = {
  string: 'must be text',
  number: 'must be a number',
  boolean: 'must be true or false',
  datetime: 'must be an RFC 3339 timestamp',
}

/** The type that the first value of an unknown key gives it. */
export function inferType(value: unknown): FieldType {
  if (isNumber(value)) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' && toUtc(value) !== undefined ? 'datetime' : 'string'
}

/**
 * The value as one of the type, converted where nothing is lost on the way: "42" is 42, "true" is true, 42 is "42", a
 * moment of another offset is the same moment in UTC. Undefined when it is none: "007" is no number, for it would come
 * back as 7. Numbers keep all their digits.
 */
export function fitValue(type: FieldType, value: unknown): { value: unknown } | undefined {
  switch (type) {
    case 'string':
      return fitText(value)
    case 'number':
      if (isNumber(value)) return { value }
      return typeof value === 'string' && value.length <= NUMBER_TEXT_CHARS_MAX && NUMBER_TEXT.test(value)
        ? { value: parseExactJson(value) }
        : undefined
    case 'boolean':
      return fitBoolean(value)
    case 'datetime': {
      const moment = typeof value === 'string' ? toUtc(value) : undefined
      return moment === undefined ? undefined : { value: moment }
    }
    default:
      return assertNever(type)
  }
}

function fitText(value: unknown): { value: string } | undefined {
  if (typeof value === 'string') return { value }
  return isNumber(value) || typeof value === 'boolean' ? { value: JSON.stringify(value) } : undefined
}

function fitBoolean(value: unknown): { value: boolean } | undefined {
  if (typeof value === 'boolean') return { value }
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  return word === 'true' || word === 'false' ? { value: word === 'true' } : undefined
}

/** A number, or the digits of one that a double would change. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value)
}
