import type { DomainEventType } from '../../catalogue/domain-events.ts'
import type { BROWSER_SOURCES, Proof } from '../../catalogue/proofs.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { OUTBOX_SIGNAL } from '../../platform/outbox/signal.ts'

/** Something that happened in the system itself. `data` is what webhooks deliver; ids in it go through `integer`. */
export type DomainEvent = {
  type: DomainEventType
  subject: string
  /** Where `subject` is an address: the `subjectId` of the contact, if it has one, is delivered in its place. */
  byAddress?: true
  contactId: string | null
  email: string | null
  data: Record<string, unknown>
  /** When it happened, where it is told of later; the moment of the telling by default. */
  occurredAt?: string
  /** Of what a browser has brought about: how well it is proven whose it is. */
  source?: (typeof BROWSER_SOURCES)[number]
  proof?: Proof
}

/** A 64-bit id as the JSON integer that webhook bodies have, every digit kept. */
export function integer(id: string): unknown {
  return JSON.rawJSON(BigInt(id).toString())
}

const emitting = (subject: string, more: { values: string; columns: string }) => `
  insert into outbox (tx, workspace_id, type, name, subject, contact_id, email, data, source, proof, occurred_at)
  select (select outbox_tx()), $1::bigint, e.type, e.type, ${subject}, e.contact_id, e.email, e.data::json, e.source, e.proof,
    coalesce(e.occurred_at::timestamptz, clock_timestamp())
  from unnest($2::text[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]${more.values})
    with ordinality as e(type, subject, contact_id, email, data, source, proof, occurred_at${more.columns}, n) order by e.n`

const EMIT = { name: 'emit_events', text: emitting('e.subject', { values: '', columns: '' }) }
/** A statement of its own: with the look-up a plan for few events is the cheaper one, and PostgreSQL would make it anew each time. */
const EMIT_BY_ADDRESS = {
  name: 'emit_events_by_address',
  text: emitting(
    'coalesce((select c.subject_id from contacts c where c.workspace_id = $1 and c.id = e.addressee_id), e.subject)',
    { values: ', $10::int8[]', columns: ', addressee_id' },
  ),
}

/**
 * Appends domain events to the outbox in the transaction that makes them true: they exist if and only if it commits, and
 * the consumer groups are told then.
 */
export async function emitEvents(tx: Transaction, workspaceId: string, events: readonly DomainEvent[]): Promise<void> {
  if (events.length === 0) return
  tx.signal(OUTBOX_SIGNAL)
  const isByAddress = events.some(({ byAddress }) => byAddress)
  await tx.query({
    ...(isByAddress ? EMIT_BY_ADDRESS : EMIT),
    values: [
      workspaceId,
      textArray(events.map((event) => event.type)),
      textArray(events.map((event) => event.subject)),
      int8Array(events.map((event) => event.contactId)),
      textArray(events.map((event) => event.email)),
      textArray(events.map((event) => JSON.stringify(event.data))),
      textArray(events.map((event) => event.source ?? null)),
      textArray(events.map((event) => event.proof ?? null)),
      textArray(events.map((event) => event.occurredAt ?? null)),
      ...(isByAddress ? [int8Array(events.map((event) => (event.byAddress ? event.contactId : null)))] : []),
    ],
  })
}
