import type pg from 'pg'
import { textArray } from '../db/arrays.ts'
import type { Queryable } from '../db/transaction.ts'
import { JOB_QUERY, runPinned } from './statement.ts'

export type QueueStats = { queue: string; ready: number; oldestAgeSeconds: number }

/** Counts the waiting, due rows on the claiming index; later and finished ones are not touched. */
const STATS = `
  select name as queue, count(*)::float8 as ready,
    extract(epoch from now() - min(start_after))::float8 as "oldestAgeSeconds"
  from jobs.job_common
  where state < 'active' and not blocked and created_on <= now() and start_after <= now()
  group by name
  order by name`

/** Jobs that could start now, per queue, and since when the oldest could. A queue without any is not in the answer. */
export async function queueStats(db: Queryable): Promise<QueueStats[]> {
  return (await db.query<QueueStats>({ name: 'queue_stats', text: STATS, ...JOB_QUERY })).rows
}

/** Nobody here claims them, so they gather at the head of the queue. */
const HEAD_ROWS = 1_000
const UNKNOWN_KINDS = `
  select kind, count(*)::int as jobs
  from (
    select data ->> 'kind' as kind from jobs.job_common
    where name = $1 and state < 'active' and not blocked and created_on <= now()
    order by priority desc, created_on limit ${HEAD_ROWS}
  ) head
  where kind <> all ($2::text[])
  group by kind
  order by kind`

/** Kinds among the head of a queue that are not in `known`. */
export async function unknownKinds(
  pool: pg.Pool,
  queue: string,
  known: readonly string[],
): Promise<{ kind: string; jobs: number }[]> {
  const values = [queue, textArray(known)]
  return await runPinned(pool, { name: 'unknown_kinds', text: UNKNOWN_KINDS, values })
}
