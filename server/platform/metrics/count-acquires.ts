import type pg from 'pg'

export type Acquires = {
  /** Callers that had to wait because every connection was in use and no more may be opened. */
  waits: number
  /** Callers that found no idle connection, whether they then waited or a connection was opened for them. */
  empty: number
}

/**
 * Counts, from now on, how callers fare at a pool. pg.Pool has no such counters, so its `connect` is wrapped: `query`
 * goes through it too.
 */
export function countAcquires(pool: pg.Pool): Acquires {
  const acquires: Acquires = { waits: 0, empty: 0 }
  const connect = pool.connect as (...callback: unknown[]) => unknown
  pool.connect = function countedConnect(this: pg.Pool, ...callback: unknown[]) {
    // An idle connection is handed over a tick later, so those already waiting have a claim on it.
    if (pool.idleCount <= pool.waitingCount) {
      acquires.empty++
      if (pool.totalCount >= pool.options.max) acquires.waits++
    }
    return connect.apply(this, callback)
  } as typeof pool.connect
  return acquires
}
