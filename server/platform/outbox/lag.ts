import type { Queryable } from '../db/transaction.ts'

/** Age in seconds of the oldest row each group has not handled, 0 when it has handled all, from the database's clock. */
export async function outboxLag(db: Queryable): Promise<{ group: string; seconds: number }[]> {
  const { rows } = await db.query<{ group: string; seconds: number }>({
    name: 'outbox_lag',
    text: `select c.consumer_group as "group",
        coalesce(greatest(0, extract(epoch from clock_timestamp() - oldest.recorded_at)), 0)::float8 as seconds
      from outbox_cursors c
      left join lateral (
        select recorded_at from outbox where (tx, position) > (c.tx, c.position) order by tx, position limit 1
      ) oldest on true
      order by 1`,
  })
  return rows
}

/** The oldest open writing transaction of the cluster: whoever holds the log back when a group is held. */
export async function oldestWriter(
  db: Queryable,
): Promise<{ pid: number; application: string; seconds: number } | undefined> {
  const { rows } = await db.query<{ pid: number; application: string; seconds: number }>(
    `select pid, application_name as application, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
     from pg_stat_activity where backend_xid is not null order by xact_start limit 1`,
  )
  return rows[0]
}
