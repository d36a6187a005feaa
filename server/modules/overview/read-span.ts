import { invalid } from '../../catalogue/problems.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { timeZoneNamed } from '../../platform/time-zone.ts'
import type { Interval, SeriesQuery } from './schemas.ts'

/** Points of a series, so that a read stays bounded: of an hour each, or of a day each. */
const SPAN_MAX_MS: Readonly<Record<Interval, number>> = { hour: 32 * DAY_MS, day: 400 * DAY_MS }

/** A time to chart. Times are RFC 3339. */
export type Span = { from: string; to: string; interval: Interval; timeZone: string }

/** The span that is asked for; without a beginning it has `lastMs`. Throws 400 for one that is empty, too long or in no zone. */
export function readSpan(query: SeriesQuery, { now, lastMs }: { now: Date; lastMs: number }): Span {
  const { interval = 'day' } = query
  const to = query.to === undefined ? now.toISOString() : (toUtc(query.to) ?? query.to)
  const from =
    query.from === undefined ? new Date(Date.parse(to) - lastMs).toISOString() : (toUtc(query.from) ?? query.from)
  const timeZone = timeZoneNamed(query.timeZone ?? 'UTC')
  if (timeZone === undefined)
    throw invalid([{ pointer: '/timeZone', detail: 'is not a time zone, such as Europe/Berlin' }])
  const spanMs = Date.parse(to) - Date.parse(from)
  if (!(spanMs > 0)) throw invalid([{ pointer: '/to', detail: 'must be after from' }])
  const spanMaxMs = SPAN_MAX_MS[interval]
  if (spanMs > spanMaxMs) {
    const detail = `must be at most ${spanMaxMs / DAY_MS} days after from, for one ${interval} a point`
    throw invalid([{ pointer: '/to', detail }])
  }
  return { from, to, interval, timeZone: interval === 'hour' ? 'UTC' : timeZone }
}
