import type { Transaction } from '../../platform/db/transaction.ts'

/** The integration that leads to a workspace's mailbox; null without one. */
export async function mailboxIntegration(tx: Transaction, workspaceId: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>({
    name: 'mailbox_integration',
    text: 'select integration_id as id from mailboxes where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]?.id ?? null
}
