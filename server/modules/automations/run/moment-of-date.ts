import { DAY_MS } from '../../../platform/durations.ts'
import { momentOf, startOfDay, timeOfDay, wallOf } from '../../../platform/local-time.ts'
import type { DatedWay } from '../definition/definition.ts'
import { isLeapYear } from '../entry/due-dates.ts'

/** The time of day that is meant by a date alone. */
const NINE = '09:00'
const DATE = /^(\d{4}|-)-(\d{2})-(\d{2})$/
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/
const YEAR_FIRST = 1900
/** A leap year, in which a date without a year has every day. */
const SOME_YEAR = 2000

export type Asked = { zone: string; after: number }

/**
 * When a way's moment is for somebody with a value, in milliseconds since 1970; undefined where the value is no date: text
 * `YYYY-MM-DD`, or a moment of RFC 3339, by the person's own clock where it names no zone. Of a yearly one the first at or behind
 * `after`, for which the year may be left out (`--MM-DD`). Days before 1900, and the first of 1970, are what programs write for none.
 */
export function momentOfDate(way: DatedWay, value: unknown, { zone, after }: Asked): number | undefined {
  const read = typeof value === 'string' ? readValue(value.trim(), zone) : undefined
  if (read === undefined) return undefined
  const { wall, instant, hasYear } = read
  if (way.repeat === 'once') {
    if (!hasYear) return undefined
    const isExact = instant !== undefined && way.days === 0 && way.at === null
    return (isExact ? instant : shifted(way, { wall, hasTime: instant !== undefined, zone })) + way.ms
  }
  const from = new Date(wallOf(after - way.ms, zone) - way.days * DAY_MS).getUTCFullYear()
  for (let year = from - 1; year <= from + 2; year++) {
    const moment = shifted(way, { wall: inYear(way, wall, year), hasTime: instant !== undefined, zone }) + way.ms
    if (moment >= after) return moment
  }
  return undefined
}

type Read = { wall: number; instant: number | undefined; hasYear: boolean }

function readValue(text: string, zone: string): Read | undefined {
  const date = DATE.exec(text)
  if (date) {
    const [, year = '-', month, day] = date
    const hasYear = year !== '-'
    const wall = Date.UTC(hasYear ? Number(year) : SOME_YEAR, Number(month) - 1, Number(day))
    const isOne = new Date(wall).getUTCMonth() === Number(month) - 1
    const isNone = hasYear && (Number(year) < YEAR_FIRST || text === '1970-01-01')
    return isOne && !isNone ? { wall, instant: undefined, hasYear } : undefined
  }
  const moment = MOMENT.exec(text)
  if (!moment) return undefined
  const named = moment[1] !== undefined
  const ms = Date.parse(named ? text : `${text.replace(' ', 'T')}Z`)
  if (Number.isNaN(ms) || new Date(ms).getUTCFullYear() < YEAR_FIRST || ms === 0) return undefined
  const instant = named ? ms : momentOf(ms, zone)
  return { wall: named ? wallOf(ms, zone) : ms, instant, hasYear: true }
}

type Shifting = { wall: number; hasTime: boolean; zone: string }

function shifted({ days, at }: DatedWay, { wall, hasTime, zone }: Shifting): number {
  const time = at ?? (hasTime ? null : NINE)
  const day = wall + days * DAY_MS
  return momentOf(time === null ? day : startOfDay(day) + timeOfDay(time), zone)
}

function inYear({ leapDay }: DatedWay, wall: number, year: number): number {
  const date = new Date(wall)
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()]
  const isMissing = month === 1 && day === 29 && !isLeapYear(year)
  const start = isMissing
    ? Date.UTC(year, ...(leapDay === 'feb28' ? ([1, 28] as const) : ([2, 1] as const)))
    : Date.UTC(year, month, day)
  return start + (wall - startOfDay(wall))
}
