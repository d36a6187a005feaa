import { assertNever } from '../../platform/assert-never.ts'
import { isCalendarDay } from '../../platform/calendar-day.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { toUtc } from '../../platform/rfc3339.ts'

export const FIELD_TYPES = ['string', 'number', 'boolean', 'datetime', 'date'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
const NUMBER_TEXT_CHARS_MAX = 300

/** The answer to a value that does not fit. */
export const UNFIT: Readonly<Record<FieldType, string>> = {
  string: 'must be text',
  number: 'must be a number',
  boolean: 'must be true or false',
  datetime: 'must be an RFC 3339 timestamp, a time in UTC (2026-01-31 09:00) or a day (2026-01-31)',
  date: 'must be a day (1980-12-24), or one without a year (--12-24)',
}

/** The type that the first value of an unknown key gives it. */
export function inferType(value: unknown): FieldType {
  if (isNumber(value)) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value !== 'string') return 'string'
  return isCalendarDay(value) ? 'date' : toUtc(value) === undefined ? 'string' : 'datetime'
}

/**
 * The value as one of the type, converted where nothing is lost on the way: "42" is 42, "true" is true, 42 is "42", a
 * moment of another offset is the same moment in UTC, and so are a time without a zone and a day. Undefined when it is none: "007" is no number, for it would come
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
      const moment = typeof value === 'string' ? momentOf(value) : undefined
      return moment === undefined ? undefined : { value: moment }
    }
    case 'date': {
      const day = typeof value === 'string' ? dayOf(value) : undefined
      return day === undefined ? undefined : { value: day }
    }
    default:
      return assertNever(type)
  }
}

const PLAIN_TIME = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/
const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0{1,9})?Z$/

/** A time without a zone is UTC, and a day is its first moment there. */
function momentOf(text: string): string | undefined {
  const utc = toUtc(text)
  if (utc !== undefined) return utc
  if (PLAIN_TIME.test(text)) return toUtc(/:\d{2}:/.test(text) ? `${text}Z` : `${text}:00Z`)
  return text.startsWith('-') ? undefined : toUtc(`${text}T00:00:00Z`)
}

/** A moment is the day that it begins, and none if it begins no day. */
function dayOf(text: string): string | undefined {
  const day = text.length > 10 ? MIDNIGHT.exec(toUtc(text) ?? '')?.[1] : text
  return day !== undefined && isCalendarDay(day) ? day : undefined
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
