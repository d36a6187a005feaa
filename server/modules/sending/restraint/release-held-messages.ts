import type pg from 'pg'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { SLOTS, wakeStream } from '../lanes.ts'

/** Messages that one transaction releases. */
const RELEASED_MAX = 2_000

export const RELEASE_HELD_MESSAGES = jobKind<{ workspaceId: string }>({
  kind: 'release_held_messages',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** The last message that was looked at, in the order of people. */
type Place = { contactId: string; messageId: string }

/**
 * The job `release_held_messages`: has whatever is held looked at anew, after somebody has changed the quiet hours or the cap. The
 * turn that claims a message next decides by the settings as they are then.
 */
export async function releaseHeldMessages(
  pool: pg.Pool,
  workspaceId: string,
  stop: AbortSignal,
): Promise<'done' | 'stopped'> {
  const size = new StepSize(RELEASED_MAX)
  let place: Place | undefined = { contactId: '0', messageId: '0' }
  while (!stop.aborted) {
    const from: Place = place
    place = await boundedStep(pool, workspaceId, {
      size,
      work: (tx, rows) => releaseSome(tx, workspaceId, { from, rows }),
    })
    if (place === undefined) return 'done'
  }
  return 'stopped'
}

type Step = { from: Place; rows: number }

async function releaseSome(tx: Transaction, workspaceId: string, { from, rows }: Step): Promise<Place | undefined> {
  const { rows: released } = await tx.query<{ streamId: string; sourceKind: keyof typeof SLOTS } & Place>({
    name: 'release_held_messages',
    // By key, not by place: one that was claimed and put off again since this statement began has another place by now.
    text: `with held as materialized (
        select q.contact_id, q.message_id from message_queue q
        where q.workspace_id = $1 and q.held_for is not null and q.turn is null and (q.contact_id, q.message_id) > ($2, $3)
        order by q.contact_id, q.message_id limit $4 for update skip locked
      ), due as (
        update message_queue set due_at = now()
        where workspace_id = $1 and message_id = any (array(select message_id from held)) and due_at > now()
        returning stream_id
      ), streams as (
        select distinct s.id, s.source_kind from due join send_streams s on s.workspace_id = $1 and s.id = due.stream_id
      ), last as (
        select contact_id, message_id from held order by contact_id desc, message_id desc limit 1
      )
      select s.id as "streamId", s.source_kind as "sourceKind", l.contact_id as "contactId", l.message_id as "messageId"
      from last l left join streams s on true`,
    values: [workspaceId, from.contactId, from.messageId, rows],
  })
  for (const { streamId, sourceKind } of released) {
    if (streamId !== null) await wakeStream(tx, { workspaceId, streamId, lanes: SLOTS[sourceKind] })
  }
  const [last] = released
  return last && { contactId: last.contactId, messageId: last.messageId }
}
