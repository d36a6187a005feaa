import type pg from 'pg'
import { inTransaction } from '../../platform/db/transaction.ts'
import { recoverChunk } from './delivery-queries.ts'
import { BODY } from './dispatch-webhooks.ts'
import { type LaneDeps, wakeLanes } from './lanes.ts'

const CHUNK_EVENTS = 1_000

export type Recovery = { workspaceId: string; endpointId: string; since: string }

/**
 * The job `recover_webhook`: walks the stored events since a time, a chunk a transaction. May be repeated from the
 * start: what it has done shows as a delivery that exists.
 */
export async function recoverWebhook(deps: LaneDeps & { pool: pg.Pool }, recovery: Recovery): Promise<void> {
  const lane = { workspaceId: recovery.workspaceId, endpointId: recovery.endpointId }
  let afterEventId: string | null = '0'
  while (afterEventId !== null) {
    const chunk = { ...recovery, afterEventId, limit: CHUNK_EVENTS }
    afterEventId = await inTransaction(deps.pool, recovery.workspaceId, async (tx) => {
      const last = await recoverChunk(tx, chunk, BODY)
      await wakeLanes(tx, deps, [lane])
      return last
    })
    deps.onDue([lane])
  }
}
