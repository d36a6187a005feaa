import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'

/** Requests are kept for this long once nothing comes of them any more; the audit log has who decided what. */
export const APPROVALS_KEPT_DAYS = 180
const ROWS_MAX = 500

/** Deletes old requests with the mails that they show, but those by which something is still scheduled, or by which people are yet to be gathered. */
export async function forgetApprovals(pool: pg.Pool, shouldYield: () => boolean): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    const { rowCount } = await tx.query({
      name: 'forget_approvals',
      text: `delete from approvals where (workspace_id, id) in (
          select a.workspace_id, a.id from approvals a
          where greatest(a.expires_at, a.decided_at) <= now() - make_interval(days => ${APPROVALS_KEPT_DAYS}) and not exists (
            select from broadcasts b
            where b.workspace_id = a.workspace_id and b.id = a.broadcast_id and b.approval_id = a.id
              and (b.status = 'scheduled' or b.status in ('sending', 'paused') and b.recipients_total is null))
          limit $1)`,
      values: [limit],
    })
    return rowCount ?? 0
  }
  while ((await boundedStep(pool, ALL_WORKSPACES, { size, work })) > 0) if (shouldYield()) return 'more'
  return 'done'
}
