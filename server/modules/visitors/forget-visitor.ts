import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { unpark } from '../../platform/outbox/parked.ts'
import { haveAllPassedTime } from '../../platform/outbox/progress.ts'
import { eraseEventsOfVisitor } from '../events/erase-visitor-events.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { eraseDeliveries, holdRecoveries } from '../webhooks/erase-deliveries.ts'
import { dropStatements } from './identity-statements.ts'
import { takeTurnOfVisitor } from './turn-of-visitor.ts'
import { deleteVisitor } from './visitor-queries.ts'

const STEP_EVENTS_MAX = 1_000

/** Processes know of an erasure within a second; what was being recorded when it was asked for is committed by then. */
const KNOWN_AFTER_MS = 2_000

/** `until`: the moment up to which events of before may still be on their way. */
export type ForgottenVisitor = { workspaceId: string; visitorId: string; until: string }

export const FORGET_VISITOR = jobKind<ForgottenVisitor>({
  kind: 'forget_visitor',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, visitorId }) => `${workspaceId}/${visitorId}`,
})

export type ForgetDeps = {
  sql: pg.Pool
  /** Has forms that wait to be confirmed bind the visitor to nobody. */
  forgetBrowser: (tx: Transaction, workspaceId: string, visitorId: string) => Promise<void>
}

/**
 * The visitor is nobody any more, what its page has said of it and the forms that wait are dropped, and what it did without being anybody's is erased
 * by the job `forget_visitor`.
 */
export async function forgetVisitor(
  { sql, forgetBrowser }: ForgetDeps,
  { workspaceId }: Pick<FoundTracker, 'workspaceId'>,
  visitorId: string,
): Promise<void> {
  await inTransaction(sql, workspaceId, async (tx) => {
    await forgetBrowser(tx, workspaceId, visitorId)
    await takeTurnOfVisitor(tx, workspaceId, visitorId)
    await dropStatements(tx, workspaceId, [visitorId])
    await deleteVisitor(tx, workspaceId, visitorId)
    await enqueueErasure(tx, workspaceId, [visitorId])
  })
}

/** Has what visitors did without being anybody's be erased, once all that may be under way is there to be found. */
export async function enqueueErasure(
  tx: Transaction,
  workspaceId: string,
  visitorIds: readonly string[],
): Promise<void> {
  const until = new Date(Date.now() + KNOWN_AFTER_MS).toISOString()
  const jobs = visitorIds.map((visitorId) => ({ payload: { workspaceId, visitorId, until }, runAt: until }))
  await enqueueAll(tx, FORGET_VISITOR, jobs)
}

/**
 * In steps, with the log's copies and what endpoints were told. `too_early`: a group has still to read events of before; whatever it would
 * write of them would outlive them.
 */
export async function eraseVisitor(
  pool: pg.Pool,
  { workspaceId, visitorId, until }: ForgottenVisitor,
): Promise<'done' | 'too_early'> {
  if (!(await haveAllPassedTime(pool, until))) return 'too_early'
  const size = new StepSize(STEP_EVENTS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    await holdRecoveries(tx, workspaceId)
    const eventIds = await eraseEventsOfVisitor(tx, workspaceId, { visitorId, limit })
    await unpark(tx, eventIds)
    await eraseDeliveries(tx, workspaceId, eventIds)
    return eventIds.length
  }
  while ((await boundedStep(pool, workspaceId, { size, work })) > 0);
  return 'done'
}
