import type { Transaction } from '../../platform/db/transaction.ts'

/** Hands the enrollments of a contact to another; where both are in an automation, the other's stays as it is. */
export async function moveEnrollments(
  tx: Transaction,
  workspaceId: string,
  contacts: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_enrollments',
    text: `update enrollments e set contact_id = $3 where e.workspace_id = $1 and e.contact_id = $2 and not exists (
        select from enrollments other
        where other.workspace_id = $1 and other.automation_id = e.automation_id and other.contact_id = $3)`,
    values: [workspaceId, contacts.fromId, contacts.toId],
  })
}
