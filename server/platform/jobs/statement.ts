import type pg from 'pg'
import { readOnlySession } from '../db/errors.ts'
import { limitedTo } from '../db/pool.ts'
import { noteWriteFault } from '../db/write-room.ts'

/** Long enough for any of our statements on a busy server, short enough to notice a dead connection. */
export const JOB_QUERY = { query_timeout: 5_000 }

/**
 * Planner settings under which a queue's statements have one plan each: by index, in the index's order. Left to the
 * statistics, a claim from a queue that was just filled, or that was empty when its statement was prepared, sorts the
 * whole backlog or scans the table. `jit`: servers before 18 count a disabled node as costly enough to compile.
 */
const BEGIN_PINNED = `begin; set local enable_sort = off; set local enable_seqscan = off; set local enable_hashjoin = off;
set local enable_mergejoin = off; set local jit = off`

/** Runs one statement of the queue in a transaction of its own, its plan pinned, in one round trip. */
export async function runPinned<R extends pg.QueryResultRow>(pool: pg.Pool, statement: pg.QueryConfig): Promise<R[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const [begun, answered, committed] = await Promise.allSettled([
      client.query({ text: `${BEGIN_PINNED}; ${limitedTo(pool, JOB_QUERY.query_timeout)}`, ...JOB_QUERY }),
      client.query<R>({ ...statement, ...JOB_QUERY }),
      client.query({ text: 'commit', ...JOB_QUERY }),
    ])
    if (answered.status === 'rejected') broken = readOnlySession(answered.reason)
    if (committed.status === 'rejected') broken = committed.reason
    for (const one of [answered, committed]) if (one.status === 'rejected') noteWriteFault(pool, one.reason)
    if (begun.status === 'rejected') throw begun.reason
    if (answered.status === 'rejected') throw answered.reason
    if (committed.status === 'rejected') throw committed.reason
    return answered.value.rows
  } finally {
    client.release(broken)
  }
}
