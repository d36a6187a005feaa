import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { EXPIRY_HOURS, REFUSAL } from './refusal.ts'

/** Recipients of one statement: 0.1 to 0.2 s, so that no reader of the log waits long for the transaction. */
export const PLANNED_MAX = 10_000

/** A recipient, and when the message may go (RFC 3339); now when null. */
export type Recipient = { contactId: string; dueAt: string | null }

/**
 * Puts recipients of a broadcast into the ledger, each once, and those who may be mailed into its stream. `startedAt` is
 * the same for the whole broadcast. Repeating a chunk changes nothing. Wake the stream when all are planned, or sooner.
 */
export async function planMessages(
  tx: Transaction,
  broadcast: { workspaceId: string; broadcastId: string; startedAt: string; streamId: string },
  recipients: readonly Recipient[],
): Promise<void> {
  if (recipients.length > PLANNED_MAX) throw new Error(`more than ${PLANNED_MAX} recipients in one statement`)
  if (recipients.length === 0) return
  await tx.query({
    name: 'plan_messages',
    // Addresses are looked up one by one and stand in a table of their own before they are judged: an expression over a
    // guarded row would not be used with the indexes of the lists it is looked for in (row-level security).
    text: `with given as materialized (
        select $1::bigint as workspace_id, 'broadcast'::text as surface, g.contact_id, c.known is null as gone,
          coalesce(lower(c.email), '') as destination, g.due_at::timestamptz as due_at
        from unnest($2::int8[], $3::text[]) as g(contact_id, due_at)
        left join lateral (select email, true as known from contacts where workspace_id = $1 and id = g.contact_id limit 1) c on true
      ), judged as materialized (
        select m.*, case when m.gone then 'skipped:contact_gone' else ${REFUSAL} end as refusal from given m
      ), made as (
        insert into messages (workspace_id, created_at, surface, broadcast_id, contact_id, destination, state, reason, settled_at)
        select workspace_id, $4, surface, $5, contact_id, destination, coalesce(split_part(refusal, ':', 1), 'pending'),
          split_part(refusal, ':', 2), case when refusal is not null then now() end
        from judged order by contact_id
        on conflict on constraint messages_once do nothing
        returning id, created_at, contact_id, state
      )
      insert into message_queue (workspace_id, stream_id, message_id, message_created_at, due_at, expires_at)
      select $1, $6, made.id, made.created_at, coalesce(judged.due_at, now()),
        greatest(judged.due_at, now()) + make_interval(hours => $7)
      from made join judged using (contact_id) where made.state = 'pending' order by made.id`,
    values: [
      broadcast.workspaceId,
      int8Array(recipients.map(({ contactId }) => contactId)),
      textArray(recipients.map(({ dueAt }) => dueAt)),
      broadcast.startedAt,
      broadcast.broadcastId,
      broadcast.streamId,
      EXPIRY_HOURS,
    ],
  })
}
