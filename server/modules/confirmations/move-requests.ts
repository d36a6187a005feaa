import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * Gives a contact what another was asked, before the other is merged into it: where the address comes along, the links that
 * were sent to it and the mails that are still to be sent hold.
 */
export async function moveRequests(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_confirmation_requests',
    text: 'update confirmation_requests set contact_id = $3 where workspace_id = $1 and contact_id = $2',
    values: [workspaceId, fromId, toId],
  })
}
