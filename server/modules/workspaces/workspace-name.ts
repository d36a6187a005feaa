import type { Transaction } from '../../platform/db/transaction.ts'

/** The name of a workspace; undefined for one that is no more. */
export async function workspaceName(tx: Transaction, workspaceId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'workspace_name',
    text: 'select name from workspaces where id = $1',
    values: [workspaceId],
  })
  return rows[0]?.name
}
