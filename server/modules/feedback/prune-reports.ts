import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'

const ROWS_AT_ONCE = 5_000

/** Removes reports of every workspace that are as old as the messages they were about may become. */
export async function pruneReports(
  pool: pg.Pool,
  { days, stopping }: { days: number; stopping: AbortSignal },
): Promise<'done' | 'more'> {
  for (;;) {
    const deleted = await queryInScope(pool, ALL_WORKSPACES, {
      name: 'prune_feedback_reports',
      text: `delete from feedback_reports where (workspace_id, id) in (
          select workspace_id, id from feedback_reports where received_at < now() - make_interval(days => $1)
          limit ${ROWS_AT_ONCE})
        returning id`,
      values: [days],
    })
    if (deleted.length < ROWS_AT_ONCE) return 'done'
    if (stopping.aborted) return 'more'
  }
}
