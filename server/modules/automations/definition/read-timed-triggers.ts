import { HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts'
import {
  DATE_REPEATS,
  type DatedWay,
  type DateTrigger,
  LEAP_DAYS,
  type Schedule,
  type ScheduleTrigger,
  WEEKDAYS,
} from './definition.ts'
import { PROPERTY_CHARS_MAX } from './limits.ts'
import { readTime } from './read-parts.ts'
import type { Reading } from './reading.ts'

const NINE = '09:00'
const DAYS_MAX = 366
/** A day that every month has. */
const MONTH_DAY_MAX = 28

/** `{date, repeat, days, at, leapDay}`: a day of each person, such as a birthday or the end of a contract. */
export function readDateTrigger(reading: Reading, given: unknown, at: string): DateTrigger {
  const value = reading.object(given, at, ['date', 'repeat', 'days', 'at', 'leapDay'])
  return {
    date: reading.text(value.date, `${at}/date`, PROPERTY_CHARS_MAX),
    repeat: value.repeat === undefined ? 'once' : reading.oneOf(value.repeat, `${at}/repeat`, DATE_REPEATS),
    days: value.days === undefined ? 0 : reading.whole(value.days, `${at}/days`, { min: -DAYS_MAX, max: DAYS_MAX }),
    at: readTime(reading, value.at ?? NINE, `${at}/at`),
    leapDay: value.leapDay === undefined ? 'feb28' : reading.oneOf(value.leapDay, `${at}/leapDay`, LEAP_DAYS),
  }
}

/** `{date, repeat, days, hours, minutes, at, leapDay}`: the moment for which somebody waits. */
export function readDatedWay(reading: Reading, given: unknown, at: string): Omit<DatedWay, 'to'> {
  const keys = ['date', 'repeat', 'days', 'hours', 'minutes', 'at', 'leapDay', 'to'] as const
  const value = reading.object(given, at, keys)
  const count = (key: 'days' | 'hours' | 'minutes', max: number) =>
    value[key] === undefined ? 0 : reading.whole(value[key], `${at}/${key}`, { min: -max, max })
  const [hours, minutes] = [count('hours', DAYS_MAX * 24), count('minutes', DAYS_MAX * 24 * 60)]
  const date = reading.text(value.date, `${at}/date`, PROPERTY_CHARS_MAX)
  if (date === 'event.') reading.fault(`${at}/date`, 'must name a property behind “event.”')
  if (date === 'var.') reading.fault(`${at}/date`, 'must name a variable behind “var.”')
  return {
    date,
    repeat: value.repeat === undefined ? 'once' : reading.oneOf(value.repeat, `${at}/repeat`, DATE_REPEATS),
    days: count('days', DAYS_MAX),
    ms: hours * HOUR_MS + minutes * MINUTE_MS,
    at: value.at === undefined || value.at === null ? null : readTime(reading, value.at, `${at}/at`),
    leapDay: value.leapDay === undefined ? 'feb28' : reading.oneOf(value.leapDay, `${at}/leapDay`, LEAP_DAYS),
  }
}

/** `{schedule: {at, on, day}, segment}`: all of a segment at certain times. */
export function readScheduleTrigger(reading: Reading, given: unknown, at: string): ScheduleTrigger {
  const { schedule, segment } = reading.object(given, at, ['schedule', 'segment'])
  const isId = typeof segment === 'string' && /^[1-9][0-9]{0,14}$/.test(segment)
  if (!isId) reading.fault(`${at}/segment`, 'must be the id of a segment')
  return { schedule: readSchedule(reading, schedule, `${at}/schedule`), segment: isId ? segment : '0' }
}

function readSchedule(reading: Reading, given: unknown, at: string): Schedule {
  const value = reading.object(given, at, ['at', 'on', 'day'])
  const on = value.on === undefined ? [] : reading.list(value.on, `${at}/on`, { max: WEEKDAYS.length })
  const day =
    value.day === undefined || value.day === null
      ? null
      : reading.whole(value.day, `${at}/day`, { min: 1, max: MONTH_DAY_MAX })
  if (day !== null && on.length > 0) reading.fault(`${at}/day`, 'stands beside no weekdays: leave out one of the two')
  return {
    at: readTime(reading, value.at ?? NINE, `${at}/at`),
    on: on.map((weekday, n) => reading.oneOf(weekday, `${at}/on/${n}`, WEEKDAYS)),
    day,
  }
}
