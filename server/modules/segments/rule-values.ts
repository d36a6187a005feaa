import { DAY_MS } from '../../platform/durations.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { isTimestamp } from '../../platform/schema/timestamps.ts'
import type { Moment } from './conditions.ts'
import { RuleFault } from './rule-fault.ts'

export const LIST_VALUES_MAX = 1_000
const NUMBER_CHARS_MAX = 100
/** A hundred years. */
export const DAYS_MAX = 36_500

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The value that a reader is given, and where a fault of it points to. */
export type Given = { value: unknown; pointer: string }

/** Text; a number or a boolean counts as its text. */
export function readText({ value, pointer }: Given): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (JSON.isRawJSON(value)) return value.rawJSON
  throw new RuleFault(pointer, 'must be text')
}

export function readFilledText(given: Given, hint = ''): string {
  const text = readText(given)
  if (text.trim() === '') throw new RuleFault(given.pointer, `must not be blank${hint}`)
  return text
}

export function isNumberText(value: unknown): boolean {
  if (typeof value === 'number' || JSON.isRawJSON(value)) return true
  return typeof value === 'string' && value.length <= NUMBER_CHARS_MAX && NUMBER.test(value.trim())
}

/** A decimal number as text, with all its digits. */
export function readNumber(given: Given): string {
  if (!isNumberText(given.value)) throw new RuleFault(given.pointer, 'must be a number')
  return readText(given).trim()
}

export function readBoolean({ value, pointer }: Given): boolean {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw new RuleFault(pointer, 'must be true or false')
}

/** A timestamp with its zone, or a date: that whole day in UTC. */
export function readMoment({ value, pointer }: Given): Moment {
  const text = typeof value === 'string' ? value.trim() : ''
  if (DAY.test(text) && isTimestamp(`${text}T00:00:00Z`)) {
    const next = new Date(Date.parse(`${text}T00:00:00Z`) + DAY_MS)
    return { from: `${text}T00:00:00Z`, until: `${next.toISOString().slice(0, 19)}Z` }
  }
  const from = isTimestamp(text) ? toUtc(text) : undefined
  if (from === undefined) {
    throw new RuleFault(pointer, 'must be a date (2026-01-31) or a time with its zone (2026-01-31T09:00:00Z)')
  }
  return { from, until: null }
}

/** A whole number from `min` to `max`, given as a number or as text. */
export function readWhole({ value, pointer }: Given, { min, max }: { min: number; max: number }): number {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number
  throw new RuleFault(pointer, `must be a whole number from ${min} to ${max}`)
}

/** The moment so many days of 24 hours before `now`. */
export function daysBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * DAY_MS).toISOString()
}

/**
 * A list as the query builder has it: an array, or text with commas between the items, a comma of an item escaped by a
 * backslash. Blank items are dropped.
 */
export function readList({ value, pointer }: Given): Given[] {
  const items: unknown[] = Array.isArray(value) ? value : splitList(readText({ value, pointer }))
  const filled = items
    .map((item, index) => ({
      value: typeof item === 'string' ? item.trim() : item,
      pointer: Array.isArray(value) ? `${pointer}/${index}` : pointer,
    }))
    .filter((item) => item.value !== '')
  if (filled.length === 0) throw new RuleFault(pointer, 'must have at least one item')
  if (filled.length > LIST_VALUES_MAX) throw new RuleFault(pointer, `must have at most ${LIST_VALUES_MAX} items`)
  return filled
}

/** The items of a list that is written as one text: `a, b` and with a comma in it `c\\,d`. */
export function splitList(text: string): string[] {
  return text.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','))
}

/** The blank behind an item's last backslash keeps that from the comma that follows; items are read without blanks around them. */
export function joinList(items: readonly string[]): string {
  return items.map((item) => item.replaceAll(',', '\\,').replace(/\\$/, '\\ ')).join(',')
}

/** The two ends of `between`. */
export function readPair(given: Given): [Given, Given] {
  const [low, high, ...more] = readList(given)
  if (!low || !high || more.length > 0)
    throw new RuleFault(given.pointer, 'must be two values, as a list or as "10,20"')
  return [low, high]
}
