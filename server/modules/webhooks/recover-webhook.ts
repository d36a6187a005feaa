import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { cursorOf, havePassed } from '../../platform/outbox/progress.ts'
import { BODY } from './delivery-body.ts'
import { recoverChunk } from './delivery-queries.ts'
import { WEBHOOK_LANES } from './lanes.ts'
import { endpointForChange } from './queries.ts'

const CHUNK_EVENTS = 1_000
/** Consumer groups whose work a recovery reads: the stored events, and which of them were dispatched. */
const GROUPS = ['persist', 'webhooks']

/** Events recorded from `since` to `until`, the moment it was asked for. */
export type Recovery = { workspaceId: string; endpointId: string; since: string; until: string }

export const RECOVER_WEBHOOK = jobKind<Recovery>({ kind: 'recover_webhook', queue: 'default' })

/**
 * The job `recover_webhook`: walks the stored events of a time, a chunk a transaction, one walk of an endpoint at once.
 * May be repeated from the start: what it has done shows as a delivery that exists. `too_early`: events of that time are
 * still to be stored or dispatched; those that dispatching has yet to come to are never its own to deliver.
 */
export async function recoverWebhook(deps: { pool: pg.Pool }, recovery: Recovery): Promise<'done' | 'too_early'> {
  const { workspaceId, endpointId } = recovery
  if (!(await havePassed(deps.pool, GROUPS, recovery.until))) return 'too_early'
  const size = new StepSize(CHUNK_EVENTS)
  let afterEventId: string | null = '0'
  while (afterEventId !== null) {
    const from = afterEventId
    const work = async (tx: Transaction, limit: number) => {
      if (!(await endpointForChange(tx, workspaceId, endpointId))) return null
      const dispatched = await cursorOf(tx, 'webhooks')
      const chunk = { ...recovery, dispatched, afterEventId: from, limit }
      const last = await recoverChunk(tx, chunk, BODY)
      await wakeLanes(tx, WEBHOOK_LANES, [{ workspaceId, endpointId }])
      return last
    }
    afterEventId = await boundedStep(deps.pool, workspaceId, { size, work })
  }
  return 'done'
}
