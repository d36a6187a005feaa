import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FormsOfPeople } from '../forms/forms-of-people.ts'

export type PersonalDataDeps = {
  sql: pg.Pool
  forms: FormsOfPeople
  /** Puts the job that sweeps a workspace into the queue, in the caller's transaction. */
  enqueueSweep: (tx: Transaction, workspaceId: string) => Promise<void>
}
