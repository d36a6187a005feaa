import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { havePassed } from '../../platform/outbox/progress.ts'
import { emitEvents, integer } from '../domain-events/emit-events.ts'
import { attachEventsOfVisitor } from '../events/attach-visitor-events.ts'
import { persistEvent } from '../events/persist-event.ts'
import { visitorForChange } from './visitor-queries.ts'

const STEP_EVENTS_MAX = 1_000
const EVENTS_MAX = 10_000

/** `until`: the moment at which it was bound, up to which events may still be on their way. */
export type BoundVisitor = { workspaceId: string; visitorId: string; until: string }

export const ATTACH_HISTORY = jobKind<BoundVisitor>({
  kind: 'attach_history',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, visitorId }) => `${workspaceId}/${visitorId}`,
  // An event that came in beside the binding may not have seen it; its request is answered by then.
  delayMs: 2_000,
})

/**
 * The job `attach_history`: events of the last 30 days that a visitor left before it was bound become the contact's, in its timeline
 * and for segments. They start no automation and go to no endpoint again; `contact.identified` says how many they were.
 * `too_early`: some are still to be stored.
 */
export async function attachHistory(
  pool: pg.Pool,
  { workspaceId, visitorId, until }: BoundVisitor,
): Promise<'done' | 'too_early'> {
  if (!(await havePassed(pool, [persistEvent.group], until))) return 'too_early'
  const size = new StepSize(STEP_EVENTS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    const visitor = await visitorForChange(tx, workspaceId, visitorId)
    return visitor ? attachEventsOfVisitor(tx, workspaceId, { ...visitor, until, limit }) : 0
  }
  let attached = 0
  for (let step = -1; step !== 0 && attached < EVENTS_MAX; attached += step) {
    step = await boundedStep(pool, workspaceId, { size, work })
  }
  await tellIdentified(pool, { workspaceId, visitorId, attached })
  return 'done'
}

async function tellIdentified(
  pool: pg.Pool,
  { workspaceId, visitorId, attached }: { workspaceId: string; visitorId: string; attached: number },
): Promise<void> {
  await inTransaction(pool, workspaceId, async (tx) => {
    const visitor = await visitorForChange(tx, workspaceId, visitorId)
    if (visitor === undefined) return
    const { rows } = await tx.query<{ subject: string; email: string | null }>({
      name: 'subject_of_contact',
      text: `select coalesce(subject_id, email, phone) as subject, email from contacts where workspace_id = $1 and id = $2`,
      values: [workspaceId, visitor.contactId],
    })
    const { contactId, proof } = visitor
    const { subject, email } = rows[0]!
    const data = { workspaceId: integer(workspaceId), contactId: integer(contactId), visitorId, proof, attached }
    // As well proven as the binding: what a page has claimed starts no automation that asks for more.
    const origin = { source: 'collect', proof } as const
    await emitEvents(tx, workspaceId, [{ type: 'contact.identified', subject, contactId, email, data, ...origin }])
  })
}
