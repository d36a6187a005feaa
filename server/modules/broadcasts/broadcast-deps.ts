import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { LaneDeps } from '../sending/lanes.ts'
import type { BroadcastKey } from './queries.ts'

export const QUEUE = 'broadcasts'

export type BroadcastDeps = {
  sql: pg.Pool
  /** How the streams of broadcasts get their turns. */
  sending: LaneDeps
}

/**
 * Has the job `advance_broadcast` look at a broadcast, now or at a time, in the transaction that gives it something to do.
 * One waits and one runs at most; it finds out by itself what there is to do.
 */
export async function enqueueAdvance(
  tx: Transaction,
  { workspaceId, id }: BroadcastKey,
  runAt?: string,
): Promise<void> {
  const singletonKey = `broadcast ${workspaceId} ${id}`
  const job = { queue: QUEUE, kind: 'advance_broadcast', payload: { workspaceId, broadcastId: id }, singletonKey }
  await enqueue(tx, [{ ...job, ...(runAt === undefined ? {} : { runAt }) }])
}
