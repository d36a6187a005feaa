import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { deleteOldVersions } from './queries.ts'

/** A message can be scheduled a year ahead, with the version of its day. */
const RETENTION_DAYS = 400
/** Of a template that is still there, these many stay however old they are. */
const NEWEST_KEPT = 100
/** The first step takes so many; a version has up to 400,000 characters. */
const STEP_ROWS_MAX = 1_000

export const FORGET_EVERY_SECONDS = HOUR_SECONDS

/**
 * Deletes versions that were replaced, or whose template was deleted, longer ago than anything sent can be of them. One that an
 * automation mails stays until that is stopped.
 */
export async function forgetVersions(pool: pg.Pool, stopping: AbortSignal): Promise<void> {
  const size = new StepSize(STEP_ROWS_MAX)
  const work = (tx: Transaction, limit: number) =>
    deleteOldVersions(tx, { retentionDays: RETENTION_DAYS, newestKept: NEWEST_KEPT, limit })
  while (!stopping.aborted && (await boundedStep(pool, ALL_WORKSPACES, { size, work })) > 0);
}
