import { DAY_MS } from '../../../platform/durations.ts'
import { momentOf, startOfDay, timeOfDay, wallOf } from '../../../platform/local-time.ts'
import { type DelayNode, type Span, WEEKDAYS, type Weekday } from '../definition/definition.ts'

/*
 * The calendar of a contact, in its zone. Moments are milliseconds since 1970, fractions kept. Months and days are those of
 * the calendar, the rest is exact.
 */

/** A time of day (`HH:MM`; null: as it is) on certain weekdays (none: any). */
export type LocalMoment = { at: string | null; on: readonly Weekday[] }

/** Dates that are tried: every weekday is among them, even when clocks leave out a day. */
const DATES_TRIED = 9

/** A span later: months first, the day then no later than their last one, days next, and the exact rest at the end. */
export function addSpan(at: number, { months, days, ms }: Span, zone: string): number {
  if (months === 0 && days === 0) return at + ms
  return momentOf(addDates(wallOf(at, zone), { months, days }), zone) + ms
}

/**
 * The first such moment strictly later. Without a time of day: the moment itself where its weekday is one of them, else
 * the same time on the first that is.
 */
export function nextLocal(after: number, { at, on }: LocalMoment, zone: string): number {
  const wall = wallOf(after, zone)
  if (at === null) {
    if (isOn(wall, on)) return after
    return firstOf(wall, { on, later: after, zone })
  }
  // The day before as well: clocks that leave out its last hour move its moment into this day.
  return firstOf(startOfDay(wall) - DAY_MS + timeOfDay(at), { on, later: after, zone })
}

/**
 * When a delay ends. With a time of day its months and days count dates: `{days: 1, at: "07:00"}` is the next day's
 * seven o'clock, however late it is today.
 */
export function delayEnd(at: number, { span, at: time, on }: Pick<DelayNode, 'span' | 'at' | 'on'>, zone: string) {
  if (time === null) return nextLocal(addSpan(at, span, zone), { at: null, on }, zone)
  const countsDates = span.months + span.days > 0
  const date = startOfDay(addDates(wallOf(at, zone), span))
  const after = countsDates ? momentOf(date, zone) - 1 : at
  return nextLocal(after + span.ms, { at: time, on }, zone)
}

type Wanted = { on: readonly Weekday[]; later: number; zone: string }

function firstOf(wall: number, { on, later, zone }: Wanted): number {
  for (let n = 0; n < DATES_TRIED; n++) {
    const day = wall + n * DAY_MS
    const moment = momentOf(day, zone)
    if (moment > later && isOn(day, on)) return moment
  }
  throw new Error(`no such local time after ${later} in ${zone}`)
}

function addDates(wall: number, { months, days }: Pick<Span, 'months' | 'days'>): number {
  const date = new Date(startOfDay(wall))
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime() + days * DAY_MS + (wall - startOfDay(wall))
}

function isOn(wall: number, on: readonly Weekday[]): boolean {
  // The first day of 1970 was a Thursday.
  return on.length === 0 || on.includes(WEEKDAYS[(Math.floor(wall / DAY_MS) + 3) % WEEKDAYS.length]!)
}
