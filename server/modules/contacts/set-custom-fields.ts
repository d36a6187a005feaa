import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { takeCustomFields } from '../custom-fields/take-custom-fields.ts'
import { type Cause, causeOf } from '../domain-events/cause.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { contactEvent } from './contact-events.ts'
import { contactsByIds } from './queries.ts'

/**
 * Sets custom fields of contacts, the same for all of them, as part of runs; a null removes its field. Emits `contact.updated` for those that
 * it changes, with the run of each in its event. Throws an `Error` for a value that its field does not take.
 */
export async function setCustomFields(
  tx: Transaction,
  workspaceId: string,
  {
    ids,
    set,
    causes,
  }: { ids: readonly string[]; set: Readonly<Record<string, unknown>>; causes: ReadonlyMap<string, Cause> },
): Promise<void> {
  const [taken] = await takeCustomFields(tx, workspaceId, [{ ...set }])
  const [fault] = taken!.errors
  if (fault) throw new Error(`${fault.pointer} ${fault.detail}`)
  const entries = Object.entries(taken!.values)
  const gone = entries.flatMap(([key, value]) => (value === null ? [key] : []))
  const kept = JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)))
  const { rows } = await tx.query<{ id: string }>({
    name: 'set_custom_fields',
    text: `with held as materialized (
        select id from contacts where workspace_id = $1 and id = any ($2::int8[]) order by id for no key update
      )
      update contacts c set custom_fields = (c.custom_fields || $3::jsonb) - $4::text[], updated_at = now()
      from held where c.workspace_id = $1 and c.id = held.id
        and (c.custom_fields || $3::jsonb) - $4::text[] is distinct from c.custom_fields
      returning c.id`,
    values: [workspaceId, int8Array(ids), kept, gone],
  })
  const changed = await contactsByIds(
    tx,
    workspaceId,
    rows.map(({ id }) => id),
  )
  const events = changed.map((row) =>
    contactEvent('contact.updated', workspaceId, row, {
      changed: ['customFields'],
      cause: causeOf(causes.get(row.id)!),
    }),
  )
  await emitEvents(tx, workspaceId, events)
}
