import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'

export type PersonalDataDeps = {
  sql: pg.Pool
  /** Puts the job that sweeps a workspace into the queue, in the caller's transaction. */
  enqueueSweep: (tx: Transaction, workspaceId: string) => Promise<void>
}
