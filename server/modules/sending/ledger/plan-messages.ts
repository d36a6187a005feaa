import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Source } from '../message-source.ts'
import { EXPIRY_HOURS, REFUSAL } from './refusal.ts'

/** Recipients of one statement: 0.1 to 0.2 s, so that no reader of the log waits long for the transaction. */
export const PLANNED_MAX = 10_000

/**
 * A recipient, and when the message may go (RFC 3339); now when null. Held back for longer than `notAfter` it is not sent any
 * more; null or absent: its source has no such rule.
 */
export type Recipient = { contactId: string; dueAt: string | null; notAfter?: string | null }

/** A recipient's message as it was planned. */
export type PlannedMessage = {
  id: string
  contactId: string
  state: 'pending' | 'suppressed' | 'skipped'
  reason: string | null
}

/**
 * The mail that recipients get. `createdAt` is the messages' own: of a broadcast its start, the same for all of them,
 * for by that each contact is in it once.
 */
export type Plan = {
  workspaceId: string
  source: Source
  purpose: 'marketing' | 'service'
  createdAt: string
  streamId: string
  /** Of the broadcast; none when absent. */
  topicId?: string | null
}

/**
 * Puts recipients into the ledger, and those who may be mailed into the stream of their source. Mail of an automation
 * is planned as often as it asks for it, a contact once a call, and told. Of a broadcast each recipient becomes one message, so that
 * the ledger always has as many as were frozen: one that was merged since is planned as the contact it is part of, and one
 * that the broadcast has already becomes a skipped message of nobody. A caller sees to it that no chunk is planned twice.
 * Wake the stream when all are planned, or sooner.
 */
export async function planMessages(
  tx: Transaction,
  { workspaceId, source, purpose, createdAt, streamId, topicId = null }: Plan,
  recipients: readonly Recipient[],
): Promise<PlannedMessage[]> {
  if (recipients.length > PLANNED_MAX) throw new Error(`more than ${PLANNED_MAX} recipients in one statement`)
  if (recipients.length === 0) return []
  const { rows } = await tx.query<PlannedMessage>({
    name: 'plan_messages',
    // Addresses are looked up one by one and stand in a table of their own before they are judged: an expression over a
    // guarded row would not be used with the indexes of the lists it is looked for in (row-level security). Merges are looked
    // up for those alone who are no contact any more.
    text: `with found as materialized (
        select coalesce(s.id, g.contact_id) as contact_id, c.known is null and s.id is null as gone,
          coalesce(lower(coalesce(c.email, s.email)), '') as destination, g.due_at::timestamptz as due_at,
          g.not_after::timestamptz as not_after
        from unnest($2::int8[], $3::text[], $11::text[]) as g(contact_id, due_at, not_after)
        left join lateral (select email, true as known from contacts where workspace_id = $1 and id = g.contact_id limit 1) c on true
        left join lateral (
          select k.id, k.email from contact_merges w join contacts k on k.workspace_id = $1 and k.id = w.survivor_id
          where $9 = 'broadcast' and c.known is null and w.workspace_id = $1 and w.merged_id = g.contact_id limit 1) s on true
      ), given as materialized (
        select distinct on (contact_id) $1::bigint as workspace_id, $8::text as purpose, $9::text as source_kind,
          $5::bigint as source_id, $10::bigint as topic_id, found.* from found order by contact_id, due_at nulls first
      ), judged as materialized (
        select m.*, case when m.gone then 'skipped:contact_gone' else ${REFUSAL} end as refusal from given m
      ), made as (
        insert into messages (workspace_id, created_at, purpose, source_kind, source_id, topic_id, contact_id, destination, state,
          reason, settled_at)
        select workspace_id, $4, purpose, source_kind, source_id, topic_id, contact_id, destination, coalesce(split_part(refusal, ':', 1), 'pending'),
          split_part(refusal, ':', 2), case when refusal is not null then now() end
        from judged order by contact_id
        on conflict (workspace_id, contact_id, source_id, created_at) where source_kind = 'broadcast' do nothing
        returning id, created_at, contact_id, state, reason
      ), queued as (
        insert into message_queue (workspace_id, stream_id, message_id, message_created_at, due_at, expires_at, not_after)
        select $1, $6, made.id, made.created_at, coalesce(judged.due_at, now()),
          greatest(judged.due_at, now()) + make_interval(hours => $7), judged.not_after
        from made join judged using (contact_id) where made.state = 'pending' order by made.id
      ), doubled as (
        insert into messages (workspace_id, created_at, purpose, source_kind, source_id, topic_id, destination, state, reason, settled_at)
        select $1, $4, $8, $9, $5, $10, '', 'skipped', 'contact_gone', now()
        from generate_series(1, (select count(*) from found) - (select count(*) from made))
      )
      select id, contact_id as "contactId", state, reason from made where $9::text = 'automation'`,
    values: [
      workspaceId,
      int8Array(recipients.map(({ contactId }) => contactId)),
      textArray(recipients.map(({ dueAt }) => dueAt)),
      ...[createdAt, source.id, streamId, EXPIRY_HOURS, purpose, source.kind, topicId],
      textArray(recipients.map(({ notAfter }) => notAfter ?? null)),
    ],
  })
  return rows
}
