import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { OUTBOX_SIGNAL } from '../../platform/outbox/signal.ts'

/** An event of a contact in the words of its workspace, as an intake would have recorded it. `data` is JSON. */
export type EmittedEvent = { contactId: string; data: string }

/** Records events of contacts in the caller's transaction: they exist if and only if it commits. */
export async function emitRecorded(
  tx: Transaction,
  workspaceId: string,
  { action, events }: { action: string; events: readonly EmittedEvent[] },
): Promise<void> {
  if (events.length === 0) return
  tx.signal(OUTBOX_SIGNAL)
  await tx.query({
    name: 'emit_recorded_events',
    text: `insert into outbox (tx, workspace_id, type, name, subject, contact_id, subject_id, email, phone, data, occurred_at)
      select (select outbox_tx()), $1::bigint, 'event.recorded', $2, coalesce(c.subject_id, c.email, c.phone), c.id, c.subject_id,
        c.email, c.phone, e.data::json, clock_timestamp()
      from unnest($3::int8[], $4::text[]) with ordinality as e(contact_id, data, n)
      join contacts c on c.workspace_id = $1 and c.id = e.contact_id order by e.n`,
    values: [
      ...[workspaceId, action],
      int8Array(events.map(({ contactId }) => contactId)),
      textArray(events.map(({ data }) => data)),
    ],
  })
}
