import type { Queryable } from '../../platform/db/transaction.ts'

/** Events are numbered before they are committed: about a moment, their numbers and times may be out of order by as much. */
export const OUT_OF_ORDER_MS = 60_000

/**
 * SQL of a recursive `halving (low, high)` over the events of the workspace $1: its last `low` is the highest number up to which
 * the last event was recorded before a moment, and `high` the next. There is no index by time: numbers and times go up together,
 * so a moment is found by halving, in some sixty looks at the key of each partition.
 */
export const halvingAt = (moment: string) => `halving (low, high) as (
        select 0::bigint, coalesce((select id from events where workspace_id = $1 order by id desc limit 1), 0) + 1
        union all
        select case when at.is_before then middle else low end, case when at.is_before then high else middle end
        from halving cross join lateral (select low + (high - low) / 2 as middle) m
        cross join lateral (select coalesce((select recorded_at from events where workspace_id = $1 and id <= middle
          order by id desc limit 1) < ${moment}, true) as is_before) at
        where high - low > 1
      )`

/**
 * A number behind which all events of a workspace are that were recorded since a moment (RFC 3339), with those of before it as far as
 * `marginMs`: so much numbers and times may be out of order.
 */
export async function numberBefore(
  db: Queryable,
  workspaceId: string,
  { since, marginMs }: { since: string; marginMs: number },
): Promise<string> {
  const { rows } = await db.query<{ number: string }>({
    name: 'event_number_before',
    text: `with recursive ${halvingAt(`$2::timestamptz - $3 * interval '1 millisecond'`)}
      select max(low) as number from halving`,
    values: [workspaceId, since, marginMs],
  })
  return rows[0]!.number
}
