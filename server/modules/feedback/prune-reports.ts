import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'

/** Removes reports of every workspace that are as old as the messages they were about may become. */
export async function pruneReports(
  pool: pg.Pool,
  { days, isOver }: { days: number; isOver: () => boolean },
): Promise<void> {
  const where = 'received_at < now() - make_interval(days => $1)'
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'feedback_reports', where, values: [days], isOver })
}
