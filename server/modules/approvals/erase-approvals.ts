import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Takes out of requests to mail contacts what the mail said, to whom it was, and what the agent wrote of it. That somebody decided stays. */
export async function eraseApprovals(
  tx: Transaction,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return
  await tx.query({
    name: 'erase_approvals',
    text: `update approvals set note = '', plan = (plan::jsonb || '{"preview": null, "people": []}')::json
      where workspace_id = $1 and contact_id = any ($2::int8[]) and plan ->> 'preview' is not null`,
    values: [workspaceId, int8Array(contactIds)],
  })
}
