import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { Lane } from './lanes.ts'

const ROWS_MAX = 20_000

/** Enqueued in the transaction that deletes an endpoint: whoever had queued for it by then has committed. */
export const DROP_DELIVERIES = jobKind<Lane>({
  kind: 'drop_deliveries',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** The job `drop_deliveries`: takes what waits for an endpoint that is gone out of the queue, a chunk a transaction. */
export async function dropDeliveries(
  pool: pg.Pool,
  { workspaceId, endpointId }: Lane,
  shouldYield: () => boolean,
): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  const work = (tx: Transaction, rows: number) =>
    tx.query({
      name: 'drop_deliveries',
      text: `delete from delivery_queue where ctid = any (array(
          select ctid from delivery_queue where workspace_id = $1 and endpoint_id = $2 limit $3))`,
      values: [workspaceId, endpointId, rows],
    })
  for (;;) {
    const { rowCount } = await boundedStep(pool, workspaceId, { size, work })
    if (rowCount === 0) return 'done'
    if (shouldYield()) return 'more'
  }
}
