import type pg from 'pg'
import { invalid, unprocessable } from '../../../catalogue/problems.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { HOUR_MS } from '../../../platform/durations.ts'
import { toUtc } from '../../../platform/rfc3339.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import type { ScheduleBody } from '../schemas.ts'
import type { Schedule } from './progress-queries.ts'

/** A local time comes first to the islands of UTC+14. */
const FIRST_ZONE_MS = 14 * HOUR_MS

/**
 * When it starts. With a local time that is when this time comes to the first zone of the earth; whoever's has passed by
 * then is written to at once. Throws 400 for both or neither, 422 for what is not to come, or no zone.
 */
export async function readSchedule(sql: pg.Pool, workspaceId: string, body: ScheduleBody): Promise<Schedule> {
  const { scheduledAt, localTime, timeZone = 'UTC' } = body
  if ((scheduledAt === undefined) === (localTime === undefined)) {
    throw invalid([{ pointer: '', detail: 'must have either scheduledAt or localTime' }])
  }
  if (scheduledAt !== undefined) {
    if (body.timeZone !== undefined) throw invalid([{ pointer: '/timeZone', detail: 'stands beside localTime only' }])
    const at = toUtc(scheduledAt) ?? scheduledAt
    requireToCome('/scheduledAt', Date.parse(at))
    return { scheduledAt: at, localTime: null, localTimeZone: null }
  }
  const clock = toUtc(`${localTime}${localTime!.length === 16 ? ':00' : ''}Z`)?.slice(0, 19)
  if (clock === undefined) throw invalid([{ pointer: '/localTime', detail: 'must be a date and a time of day' }])
  const [zone] = await queryInScope<{ name: string; at: string }>(sql, workspaceId, momentStatement(clock, timeZone))
  if (!zone) throw unprocessable([{ pointer: '/timeZone', detail: 'is not a time zone, such as Europe/Berlin' }])
  requireToCome('/localTime', Date.parse(zone.at))
  const first = new Date(Date.parse(`${clock}Z`) - FIRST_ZONE_MS)
  return { scheduledAt: first.toISOString(), localTime: clock, localTimeZone: zone.name }
}

/**
 * A local time as a moment, with the zone's name as it is spelt; no row for a zone that nobody knows. PostgreSQL is asked
 * only for links and old names.
 */
function momentStatement(clock: string, timeZone: string) {
  const known = timeZoneNamed(timeZone)
  if (known !== undefined) {
    const text = 'select $2::text as name, $1::timestamp at time zone $2::text as at'
    return { name: 'moment_in_known_zone', text, values: [clock, known] }
  }
  return {
    name: 'moment_of_local_time',
    text: `select name, $1::timestamp at time zone name as at from pg_timezone_names
      where lower(name) = lower($2) order by name limit 1`,
    values: [clock, timeZone],
  }
}

function requireToCome(pointer: string, atMs: number): void {
  if (atMs <= Date.now()) throw unprocessable([{ pointer, detail: 'must be in the future' }])
}
