import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { havePassed } from '../../platform/outbox/progress.ts'
import { eraseEventsOfVisitor } from '../events/erase-visitor-events.ts'
import { persistEvent } from '../events/persist-event.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
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

/** In steps. `too_early`: events of before are still to be stored. The log's copies leave with their day. */
export async function eraseVisitor(
  pool: pg.Pool,
  { workspaceId, visitorId, until }: ForgottenVisitor,
): Promise<'done' | 'too_early'> {
  if (!(await havePassed(pool, [persistEvent.group], until))) return 'too_early'
  const size = new StepSize(STEP_EVENTS_MAX)
  let erased: number
  do {
    erased = await boundedStep(pool, workspaceId, {
      size,
      work: (tx, limit) => eraseEventsOfVisitor(tx, workspaceId, { visitorId, limit }),
    })
  } while (erased > 0)
  return 'done'
}
