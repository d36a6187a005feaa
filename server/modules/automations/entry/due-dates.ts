import { DAY_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { momentOf, startOfDay, timeOfDay, wallOf } from '../../../platform/local-time.ts'
import { type DateTrigger, type Schedule, WEEKDAYS } from '../definition/definition.ts'

/** Zones differ from UTC by multiples of so much: a time of day comes somewhere every so often, and at no other moment. */
const OFFSET_STEP_MS = 15 * MINUTE_MS

/** Moments are milliseconds since 1970; the second is in it, the first is not. */
export type Between = { fromMs: number; toMs: number }

/** A date (`YYYY-MM-DD`) whose time of day has come in a zone, and when. */
export type Occurrence = { zone: string; date: string; atMs: number }

/** The dates whose time of day came in a zone between two moments. */
export function occurrencesIn(zone: string, at: string, { fromMs, toMs }: Between): Occurrence[] {
  const found: Occurrence[] = []
  // Clocks that leave a day out, or its last hour, move its moment into the next.
  const last = startOfDay(wallOf(toMs, zone))
  for (let day = startOfDay(wallOf(fromMs, zone)) - DAY_MS; day <= last; day += DAY_MS) {
    const atMs = momentOf(day + timeOfDay(at), zone)
    if (atMs > fromMs && atMs <= toMs) found.push({ zone, date: dateOf(day), atMs })
  }
  return found
}

/** Whether the people of a schedule come in on a date. */
export function isOn({ on, day }: Schedule, date: string): boolean {
  if (day !== null) return Number(date.slice(8)) === day
  // The first day of 1970 was a Thursday.
  const weekday = WEEKDAYS[(Math.floor(Date.parse(date) / DAY_MS) + 3) % WEEKDAYS.length]!
  return on.length === 0 || on.includes(weekday)
}

/** The values of a field whose people come in on a date: days, or days without their year; and the date that they are of. */
export function valuesFor({ repeat, days, leapDay }: DateTrigger, date: string): { of: string; values: string[] } {
  const of = dateOf(Date.parse(date) - days * DAY_MS)
  if (repeat === 'once') return { of, values: [of] }
  const day = of.slice(5)
  const standsFor29 = leapDay === 'feb28' ? '02-28' : '03-01'
  return { of, values: day === standsFor29 && !isLeapYear(Number(of.slice(0, 4))) ? [day, '02-29'] : [day] }
}

/** The next moment at which a time of day comes somewhere. */
export function nextCheck(at: string, afterMs: number): number {
  const phase = timeOfDay(at) % OFFSET_STEP_MS
  return Math.floor((afterMs - phase) / OFFSET_STEP_MS + 1) * OFFSET_STEP_MS + phase
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
export const isLeapYear = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
