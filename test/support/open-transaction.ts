import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../server/platform/db/transaction.ts'
import { eventually } from './eventually.ts'

/** A transaction that a test leaves open: its work is done when this resolves, its commit comes with `commit`. */
export async function openTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>, scope = ALL_WORKSPACES) {
  const worked = Promise.withResolvers<T>()
  const released = Promise.withResolvers<void>()
  const committed = inTransaction(pool, scope, async (tx) => {
    worked.resolve(await work(tx))
    await released.promise
  })
  committed.catch(worked.reject)
  const value = await worked.promise
  return {
    value,
    commit() {
      released.resolve()
      return committed
    },
  }
}

/** Waits until so many statements of this database wait for a lock. */
export function somebodyWaits(pool: pg.Pool, count = 1): Promise<void> {
  return eventually(`${count} statements wait for a lock`, async () => {
    const { rows } = await pool.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return rows.length === count
  })
}
