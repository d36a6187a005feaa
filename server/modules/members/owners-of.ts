import type { Queryable } from '../../platform/db/transaction.ts'

export type Owner = { email: string; name: string; workspace: string }

/** Owners of a workspace: its troubles are told to them. */
export async function ownersOf(tx: Queryable, workspaceId: string): Promise<Owner[]> {
  const { rows } = await tx.query<Owner>({
    name: 'owners_of_workspace',
    text: `select u.email, u.name, w.name as workspace from memberships m
      join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id
      where m.workspace_id = $1 and m.role = 'owner' order by u.id`,
    values: [workspaceId],
  })
  return rows
}
