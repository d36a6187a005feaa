import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/durations.ts'
import type { Span } from './definition.ts'

const WEEK_DAYS = 7
const YEAR_MONTHS = 12
const MONTH_DAYS_MAX = 31
/** Digits of one part: more than any limit. */
const ISO =
  /^P(?=[\dT])(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/

/**
 * A duration as ISO 8601 writes it: `PT2H`, `P30D`, `P1M`. Years, months, weeks and days are of the calendar; hours,
 * minutes and seconds exact. Undefined for other text.
 */
export function readSpan(text: string): Span | undefined {
  const parts = ISO.exec(text)
  if (parts === null) return undefined
  const [years, months, weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0))
  return {
    months: years! * YEAR_MONTHS + months!,
    days: weeks! * WEEK_DAYS + days!,
    ms: hours! * HOUR_MS + minutes! * MINUTE_MS + seconds! * SECOND_MS,
  }
}

/** The span in the shortest form that `readSpan` reads as the same. */
export function writeSpan({ months, days, ms }: Span): string {
  const date = `${months > 0 ? `${months}M` : ''}${days > 0 ? `${days}D` : ''}`
  const [hours, minutes] = [Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS)]
  const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS)
  const time = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${seconds > 0 ? `${seconds}S` : ''}`
  if (time !== '') return `P${date}T${time}`
  return date === '' ? 'PT0S' : `P${date}`
}

/** The longest that a span can take. */
export function spanMsMax({ months, days, ms }: Span): number {
  return (months * MONTH_DAYS_MAX + days) * DAY_MS + ms + (months + days > 0 ? HOUR_MS : 0)
}

/** The shortest that a span can take: a day may have lost an hour. */
export function spanMsMin({ months, days, ms }: Span): number {
  const calendarDays = months * 28 + days
  return calendarDays * DAY_MS + ms - (calendarDays > 0 ? HOUR_MS : 0)
}
