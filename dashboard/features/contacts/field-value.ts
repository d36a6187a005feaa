import { dayText, writtenText } from '../../lib/format.ts'
import type { SiteCustomField } from '../../lib/site-types.ts'

type FieldType = SiteCustomField['type']

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Digits that every number of a browser keeps. */
const DIGITS_MAX = 15
const DAY = /^(?:(\d{4})|-)-(\d{2})-(\d{2})$/
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i
/** For a day without its year: one that has a 29 February. */
const LEAP_YEAR = '2000'

/** A value as a field of its type takes it, or what is wrong with the text. An empty text takes the value away. */
export function fieldValue(text: string, type: FieldType): { value: unknown } | { fault: string } {
  if (text === '') return { value: null }
  switch (type) {
    case 'string':
      return { value: text }
    case 'number':
      return numberOf(text)
    case 'boolean': {
      const word = text.toLowerCase()
      if (word === 'yes' || word === 'true') return { value: true }
      return word === 'no' || word === 'false' ? { value: false } : { fault: 'Must be yes or no.' }
    }
    case 'date':
      return isDay(text)
        ? { value: text }
        : { fault: 'Must be a day, such as 1980-12-24, or one without a year, such as --12-24.' }
    case 'datetime':
      return timeOf(text)
  }
}

/** A value as it is written, and read again. */
export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
}

/** A value as it is told: days, birthdays and moments as people write them, moments in UTC, as those that are typed without a zone. */
export function toldText(value: unknown): string {
  const text = textOf(value)
  if (isDay(text)) return dayText(text)
  const hasZone = TIME.exec(text)?.[3] !== undefined
  return hasZone && 'value' in timeOf(text) ? writtenText(text) : text
}

/** The type that a value speaks for, where that of its field is not known. */
export function typeLike(value: unknown): FieldType {
  return typeof value === 'number' || typeof value === 'boolean' ? (typeof value as 'number' | 'boolean') : 'string'
}

/** A number that this language would round goes as it is written, from browsers that can write it. */
function numberOf(text: string) {
  if (!NUMBER.test(text)) return { fault: 'Must be a number, such as 35 or 12.5.' }
  if (text.replaceAll(/\D/g, '').length <= DIGITS_MAX) return { value: Number(text) }
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }
  return rawJSON ? { value: rawJSON(text) } : { fault: `Must be a number of up to ${DIGITS_MAX} digits.` }
}

function isDay(text: string): boolean {
  const [found, year = LEAP_YEAR, month, day] = DAY.exec(text) ?? []
  if (found === undefined || year === '0000') return false
  const written = `${year}-${month}-${day}`
  const date = new Date(`${written}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written)
}

/** Without a zone it is UTC, and a day is its first moment there. */
function timeOf(text: string) {
  const fault = { fault: 'Must be a time, such as 2026-01-31 09:00, which is UTC, or 2026-01-31T09:00:00+01:00.' }
  const [, day = text, clock = '00:00:00', zone = 'Z'] = TIME.exec(text) ?? []
  const time = `${day}T${clock.length === 5 ? `${clock}:00` : clock}${zone.toUpperCase()}`
  return day.startsWith('-') || !isDay(day) || Number.isNaN(Date.parse(time)) ? fault : { value: time }
}
