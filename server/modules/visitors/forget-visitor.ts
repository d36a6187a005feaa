import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
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

/** `until`: the moment it was asked for, up to which events may still be on their way. */
export type ForgottenVisitor = { workspaceId: string; visitorId: string; until: string }

export const FORGET_VISITOR = jobKind<ForgottenVisitor>({
  kind: 'forget_visitor',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, visitorId }) => `forget_visitor/${workspaceId}/${visitorId}`,
})

/** The visitor is nobody any more, what its page has said of it is dropped, and what it did without being anybody's is erased by the job `forget_visitor`. */
export async function forgetVisitor(
  { sql }: { sql: pg.Pool },
  { workspaceId }: Pick<FoundTracker, 'workspaceId'>,
  visitorId: string,
): Promise<void> {
  await inTransaction(sql, workspaceId, async (tx) => {
    await takeTurnOfVisitor(tx, workspaceId, visitorId)
    await dropStatements(tx, workspaceId, [visitorId])
    await deleteVisitor(tx, workspaceId, visitorId)
    await enqueue(tx, FORGET_VISITOR, { workspaceId, visitorId, until: new Date().toISOString() })
  })
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
