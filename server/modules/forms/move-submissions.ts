import type { Transaction } from '../../platform/db/transaction.ts'

/** Gives a survivor what the contact that is merged into it had signed up by: receipts of consents. */
export async function moveSubmissions(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_form_submissions',
    text: 'update form_submissions set contact_id = $3 where workspace_id = $1 and contact_id = $2',
    values: [workspaceId, fromId, toId],
  })
}
