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

/**
 * The job `drop_deliveries`: takes what waits for an endpoint that is gone out of the queue, a chunk a transaction. Rows are held before they
 * are deleted, and those that were held are counted: one whose attempt is being recorded has another place by then, and goes with the
 * next chunk.
 */
export async function dropDeliveries(
  pool: pg.Pool,
  { workspaceId, endpointId }: Lane,
  shouldYield: () => boolean,
): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    const { rows } = await tx.query<{ found: number }>({
      name: 'drop_deliveries',
      text: `with held as materialized (
          select ctid as row from delivery_queue where workspace_id = $1 and endpoint_id = $2 limit $3 for update
        ), gone as (
          delete from delivery_queue where ctid = any (array(select row from held))
        )
        select count(*)::int as found from held`,
      values: [workspaceId, endpointId, limit],
    })
    return rows[0]!.found
  }
  for (;;) {
    if ((await boundedStep(pool, workspaceId, { size, work })) === 0) return 'done'
    if (shouldYield()) return 'more'
  }
}
