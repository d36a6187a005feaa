import type { Queryable } from '../db/transaction.ts'
import { READERS } from './readers.ts'

/** Age in seconds of the oldest row each group has not handled, 0 when it has handled all, from the database's clock. */
export async function outboxLag(db: Queryable): Promise<{ group: string; seconds: number }[]> {
  const { rows } = await db.query<{ group: string; seconds: number }>({
    name: 'outbox_lag',
    text: `select c.consumer_group as "group",
        coalesce(greatest(0, extract(epoch from clock_timestamp() - oldest.recorded_at)), 0)::float8 as seconds
      from ${READERS} c
      left join lateral (
        select recorded_at from outbox where (tx, position) > (c.tx, c.position) order by tx, position limit 1
      ) oldest on true
      order by 1`,
  })
  return rows
}

export type OldestWriter = { pid: number; application: string; seconds: number | null }

/**
 * The writing transaction of the cluster with the oldest id: whoever holds the log back when a group is held. Its age is
 * null when it belongs to a role whose statistics ours may not see.
 */
export async function oldestWriter(db: Queryable): Promise<OldestWriter | undefined> {
  const { rows } = await db.query<OldestWriter>(
    `select pid, application_name as application, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
     from pg_stat_activity where backend_xid is not null order by age(backend_xid) desc limit 1`,
  )
  return rows[0]
}
