import type { Transaction } from '../../../platform/db/transaction.ts'
import { slotOf } from './slots.ts'

/**
 * Hands the enrollments of a contact to another, and what of it waits to come in; where both are in an automation by the
 * same key, the other's stays as it is.
 */
export async function moveEnrollments(
  tx: Transaction,
  workspaceId: string,
  contacts: { fromId: string; toId: string },
): Promise<void> {
  const values = [workspaceId, contacts.fromId, contacts.toId]
  await Promise.all([
    tx.query({
      name: 'move_enrollments',
      text: `with moved as (
          delete from enrollments where workspace_id = $1 and contact_id = $2 returning *)
        insert into enrollments (workspace_id, automation_id, contact_id, entry_key, entries, entered_at, run_id, refusals,
          refused_at, refused_event_id, refusal)
        select workspace_id, automation_id, $3, entry_key, entries, entered_at, run_id, refusals, refused_at,
          refused_event_id, refusal
        from moved order by automation_id, entry_key
        on conflict do nothing`,
      values,
    }),
    tx.query({
      name: 'move_entries',
      text: `update run_queue q set contact_id = $3, slot = ${slotOf('$3::bigint')}
        from automations a
        where a.workspace_id = $1 and q.workspace_id = $1 and q.automation_id = a.id and q.contact_id = $2`,
      values,
    }),
  ])
}
