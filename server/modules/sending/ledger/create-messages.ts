import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { SLOTS, wakeStream } from '../lanes.ts'
import type { Origin, SourceKind } from '../message-source.ts'
import { openStream } from '../streams.ts'
import { EXPIRY_HOURS, REFUSAL } from './refusal.ts'

/** A message to one person. `dueAt` is when it may go, RFC 3339; now when absent. `metadata` is JSON. */
export type NewMessage = { contactId: string | null; destination: string; dueAt?: string; metadata?: string | null }
export type CreatedMessage = { id: string; createdAt: string; state: 'pending' | 'suppressed' | 'skipped' }

/** The kinds of single messages, each for one purpose. */
export const SINGLE = {
  email: { purpose: 'transactional', sourceKind: 'email' },
  confirmation: { purpose: 'system', sourceKind: 'confirmation' },
  test: { purpose: 'system', sourceKind: 'test' },
} as const satisfies Partial<Record<SourceKind, Pick<Origin, 'purpose' | 'sourceKind'>>>
export type SingleOrigin = (typeof SINGLE)[keyof typeof SINGLE]

/** Messages that one lane is woken for; more wake more. */
const MESSAGES_A_LANE = 20

/**
 * Puts single messages into the ledger and the workspace's own stream, in the caller's transaction: they are sent if
 * and only if it commits. Messages to people who must not be mailed are settled at once. Addresses are normalised
 * already. In the order given.
 */
export async function createMessages(
  tx: Transaction,
  given: { workspaceId: string; origin: SingleOrigin; items: readonly NewMessage[] },
): Promise<CreatedMessage[]> {
  const { workspaceId, origin, items } = given
  if (items.length === 0) return []
  const stream = await openStream(tx, workspaceId, null)
  const { rows } = await tx.query<CreatedMessage>({
    name: 'create_messages',
    text: `with given as materialized (
        select nextval('message_id') as id, $1::bigint as workspace_id, $2::text as purpose, $3::text as source_kind,
          null::bigint as source_id, null::bigint as topic_id, contact_id, destination, due_at::timestamptz as due_at, metadata::jsonb as metadata, n
        from unnest($4::int8[], $5::text[], $6::text[], $9::text[]) with ordinality as g(contact_id, destination, due_at, metadata, n)
      ), judged as materialized (
        select m.*, ${REFUSAL} as refusal from given m
      ), made as (
        insert into messages (workspace_id, id, purpose, source_kind, contact_id, destination, metadata, state, reason, settled_at)
        select workspace_id, id, purpose, source_kind, contact_id, destination, metadata, coalesce(split_part(refusal, ':', 1), 'pending'),
          split_part(refusal, ':', 2), case when refusal is not null then now() end
        from judged order by n
        returning workspace_id, id, created_at, state
      ), queued as (
        insert into message_queue (workspace_id, stream_id, message_id, message_created_at, due_at, expires_at)
        select m.workspace_id, $7, m.id, m.created_at, coalesce(j.due_at, now()),
          greatest(j.due_at, now()) + make_interval(hours => $8)
        from made m join judged j using (id) where m.state = 'pending'
      )
      select made.id, made.created_at as "createdAt", made.state from made join judged using (id) order by judged.n`,
    values: [
      ...[workspaceId, origin.purpose, origin.sourceKind],
      int8Array(items.map(({ contactId }) => contactId)),
      textArray(items.map(({ destination }) => destination)),
      textArray(items.map(({ dueAt }) => dueAt ?? null)),
      stream.streamId,
      EXPIRY_HOURS,
      textArray(items.map(({ metadata }) => metadata ?? null)),
    ],
  })
  const waiting = rows.filter(({ state }) => state === 'pending').length
  const lanes = Math.min(SLOTS.email, Math.ceil(waiting / MESSAGES_A_LANE))
  if (lanes > 0) await wakeStream(tx, { ...stream, lanes })
  return rows
}
