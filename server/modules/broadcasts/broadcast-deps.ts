import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { BroadcastKey } from './queries.ts'

/** One waits and one runs at most; it finds out by itself what there is to do. */
export const ADVANCE_BROADCAST = jobKind<{ workspaceId: string; broadcastId: string }>({
  kind: 'advance_broadcast',
  queue: 'broadcasts',
  singletonKey: ({ workspaceId, broadcastId }) => `${workspaceId}/${broadcastId}`,
})

export type BroadcastDeps = {
  sql: pg.Pool
}

/**
 * Has the job `advance_broadcast` look at a broadcast, now or at a time, in the transaction that gives it something to do.
 */
export async function enqueueAdvance(
  tx: Transaction,
  { workspaceId, id }: BroadcastKey,
  runAt?: string,
): Promise<void> {
  await enqueueAll(tx, ADVANCE_BROADCAST, [{ payload: { workspaceId, broadcastId: id }, runAt }])
}
