import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { deleteOldVersions } from './queries.ts'

/** A message can be scheduled a year ahead, with the version of its day. */
const RETENTION_DAYS = 400
/** Of a template that is still there, these many stay however old they are. */
const NEWEST_KEPT = 100
const BATCH_ROWS = 1_000

export const FORGET_EVERY_SECONDS = HOUR_SECONDS

/** Deletes versions that were replaced, or whose template was deleted, longer ago than anything sent can be of them. */
export async function forgetVersions(pool: pg.Pool, stopping: AbortSignal): Promise<void> {
  const old = { retentionDays: RETENTION_DAYS, newestKept: NEWEST_KEPT, limit: BATCH_ROWS }
  while (!stopping.aborted) {
    const deleted = await inTransaction(pool, ALL_WORKSPACES, (tx) => deleteOldVersions(tx, old))
    if (deleted < BATCH_ROWS) return
  }
}
