import type { Transaction } from '../../../platform/db/transaction.ts'

/** Forgets where a contact that is being erased came in, and that it wanted to. */
export async function forgetEnrollments(tx: Transaction, workspaceId: string, contactId: string): Promise<void> {
  const values = [workspaceId, contactId]
  await Promise.all([
    tx.query({
      name: 'forget_enrollments',
      text: 'delete from enrollments where workspace_id = $1 and contact_id = $2',
      values,
    }),
    tx.query({
      name: 'forget_entries',
      text: `delete from run_queue q using automations a
        where a.workspace_id = $1 and q.workspace_id = $1 and q.automation_id = a.id and q.contact_id = $2`,
      values,
    }),
  ])
}
