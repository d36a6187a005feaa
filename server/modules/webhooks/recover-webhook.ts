import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { cursorOf, havePassed } from '../../platform/outbox/progress.ts'
import { numberBefore } from '../events/halve-by-time.ts'
import { BODY } from './delivery-body.ts'
import { recoverChunk } from './delivery-queries.ts'
import { WEBHOOK_LANES } from './lanes.ts'
import { endpointForChange } from './queries.ts'

const CHUNK_EVENTS = 1_000
/** Numbers and times of events are out of order by seconds; an hour more is passed over in a moment, and one too few would be lost. */
const MARGIN_MS = HOUR_MS
/** Consumer groups whose work a recovery reads: the stored events, and which of them were dispatched. */
const GROUPS = ['persist', 'webhooks']

/** Events recorded from `since` to `until`, the moment it was asked for; of one that goes on, those behind `afterEventId`. */
export type Recovery = { workspaceId: string; endpointId: string; since: string; until: string; afterEventId?: string }

export const RECOVER_WEBHOOK = jobKind<Recovery>({
  kind: 'recover_webhook',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

export type RecoverDeps = {
  pool: pg.Pool
  /** Whether the run should end after the chunk it is at. */
  shouldYield: () => boolean
}

/**
 * The job `recover_webhook`: walks the stored events of a time, a chunk a transaction, one walk of an endpoint at once, and leaves the
 * rest of a long one to a job of its own. A chunk is of events that are looked at, however few of them the endpoint wants.
 * May be repeated from the start: what it has done shows as a delivery that exists. `too_early`: events of that time are
 * still to be stored or dispatched; those that dispatching has yet to come to are never its own to deliver.
 */
export async function recoverWebhook(
  { pool, shouldYield }: RecoverDeps,
  recovery: Recovery,
): Promise<'done' | 'too_early'> {
  const { workspaceId, endpointId, since } = recovery
  if (!(await havePassed(pool, GROUPS, recovery.until))) return 'too_early'
  const size = new StepSize(CHUNK_EVENTS)
  let after: string | null =
    recovery.afterEventId ??
    (await inTransaction(pool, workspaceId, (tx) => numberBefore(tx, workspaceId, { since, marginMs: MARGIN_MS })))
  while (after !== null) {
    const afterEventId = after
    const work = async (tx: Transaction, limit: number) => {
      if (!(await endpointForChange(tx, workspaceId, endpointId))) return null
      const dispatched = await cursorOf(tx, 'webhooks')
      const { last, due } = await recoverChunk(
        tx,
        { ...recovery, dispatched, afterEventId, limit, marginMs: MARGIN_MS },
        BODY,
      )
      if (due > 0) await wakeLanes(tx, WEBHOOK_LANES, [{ workspaceId, endpointId }])
      const goesOn = last !== null && shouldYield()
      if (goesOn) await enqueue(tx, RECOVER_WEBHOOK, { ...recovery, afterEventId: last })
      return goesOn ? null : last
    }
    after = await boundedStep(pool, workspaceId, { size, work })
  }
  return 'done'
}
