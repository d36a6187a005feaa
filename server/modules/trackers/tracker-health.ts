import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { readTracker } from './manage-trackers.ts'
import type { TrackerHealth } from './schemas.ts'

/** Days that are counted together, today among them. */
export const HEALTH_DAYS = 7
const REFUSALS_SHOWN = 20

type Sum = { outcome: string; events: string; lastAt: string }

/** How a tracker has fared in the last days, and what its owner should look at. Throws 404. */
export async function readTrackerHealth(
  { sql }: { sql: pg.Pool },
  workspaceId: string,
  id: string,
): Promise<TrackerHealth> {
  const [tracker, sums, refusedOrigins] = await Promise.all([
    readTracker({ sql }, workspaceId, id),
    queryInScope<Sum>(sql, workspaceId, {
      name: 'tracker_health',
      text: `select outcome, sum(events)::bigint as events, max(last_at) as "lastAt" from tracker_days
        where workspace_id = $1 and tracker_id = $2 and day > (now() at time zone 'UTC')::date - $3::int group by outcome`,
      values: [workspaceId, id, HEALTH_DAYS],
    }),
    queryInScope<TrackerHealth['refusedOrigins'][number]>(sql, workspaceId, {
      name: 'tracker_refused_origins',
      text: `select origin, requests::int, last_at as "lastAt" from tracker_refusals
        where workspace_id = $1 and tracker_id = $2 order by last_at desc, origin limit $3`,
      values: [workspaceId, id, REFUSALS_SHOWN],
    }),
  ])
  const of = (outcome: string) => sums.find((sum) => sum.outcome === outcome)
  const count = (outcome: string) => Number(of(outcome)?.events ?? 0)
  const [signed, unsigned] = [count('identified_signed'), count('identified_unsigned')]
  return {
    days: HEALTH_DAYS,
    lastEventAt: of('recorded')?.lastAt ?? null,
    recorded: count('recorded'),
    rejected: count('rejected'),
    dropped: { bot: count('bot'), consent: count('consent'), gpc: count('gpc'), paused: count('paused') },
    signedShare: signed + unsigned === 0 ? null : signed / (signed + unsigned),
    refusedOrigins,
    warnings: [
      ...(tracker.allowedOrigins.length === 0 ? (['any-origin'] as const) : []),
      ...(tracker.paused ? (['paused'] as const) : []),
      ...(refusedOrigins.length > 0 ? (['origins-refused'] as const) : []),
      ...(of('recorded') === undefined ? (['no-events'] as const) : []),
    ],
  }
}
