import { textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts'

/** Every outcome that a submission has when it arrives. */
export const ARRIVALS = ['submitted', 'crowd', 'origin', 'not_shown', 'honeypot', 'challenge']
const USUAL_DAYS = 7
/** Spans of two hours in that time. */
const SPANS = (USUAL_DAYS * DAY_MS) / (2 * HOUR_MS)
/** Fewer in two hours are nobody's attack. */
export const ATTACK_MIN = 60
const TIMES_USUAL = 3

/** The beginning of the hour of the clock before this one. */
export const recentFromMs = (nowMs: number) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS

/** Whether a form is filled in much more than it usually is: in this hour of the clock and the one before. */
export async function isUnderAttack(
  db: Queryable,
  workspaceId: string,
  { formId, nowMs }: { formId: string; nowMs: number },
): Promise<boolean> {
  const recentMs = recentFromMs(nowMs)
  const { rows } = await db.query<{ recent: string; before: string }>({
    name: 'form_rate',
    text: `select coalesce(sum(total) filter (where hour >= $3), 0)::bigint as recent,
        coalesce(sum(total) filter (where hour < $3), 0)::bigint as before
      from form_hours where workspace_id = $1 and form_id = $2 and hour >= $4 and outcome = any ($5::text[])`,
    values: [
      ...[workspaceId, formId, new Date(recentMs).toISOString()],
      ...[new Date(recentMs - USUAL_DAYS * DAY_MS).toISOString(), textArray(ARRIVALS)],
    ],
  })
  const { recent, before } = rows[0]!
  return Number(recent) > Math.max(ATTACK_MIN, (TIMES_USUAL * Number(before)) / SPANS)
}
