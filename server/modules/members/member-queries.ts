import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import { rowsBefore } from '../../platform/schema/paging.ts'
import type { Role } from '../auth/roles.ts'

export type MemberRow = {
  id: string
  email: string
  name: string
  role: Role
  secondFactor: boolean
  createdAt: string
  updatedAt: string
}

const MEMBER = `u.id, u.email, u.name, m.role, m.created_at as "createdAt", m.updated_at as "updatedAt",
  exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as "secondFactor"`

export function membersPageStatement(
  workspaceId: string,
  page: { page: number; pageSize: number },
): Statement<MemberRow> {
  return {
    name: 'members-page',
    text: `select ${MEMBER} from memberships m join users u on u.id = m.user_id
           where m.workspace_id = $1 order by u.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

/** Members are added by hand, so that counting them costs nothing. */
export function membersTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'members-total',
    text: 'select count(*) as total from memberships where workspace_id = $1',
    values: [workspaceId],
  }
}

export function memberByIdStatement(workspaceId: string, userId: string): Statement<MemberRow> {
  return {
    name: 'member-by-id',
    text: `select ${MEMBER} from memberships m join users u on u.id = m.user_id
           where m.workspace_id = $1 and m.user_id = $2`,
    values: [workspaceId, userId],
  }
}

/**
 * Lets one transaction at a time change who belongs to a workspace and as what, so that its last owner cannot go while
 * the other one goes. References to the workspace are not held up by it.
 */
export async function lockMembers(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query('select from workspaces where id = $1 for no key update', [workspaceId])
}

export async function roleOf(tx: Queryable, workspaceId: string, userId: string): Promise<Role | undefined> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'role-of-member',
    text: 'select role from memberships where workspace_id = $1 and user_id = $2',
    values: [workspaceId, userId],
  })
  return rows[0]?.role
}

export async function countOwners(tx: Queryable, workspaceId: string): Promise<number> {
  const { rows } = await tx.query<{ owners: number }>(
    `select count(*)::int as owners from memberships where workspace_id = $1 and role = 'owner'`,
    [workspaceId],
  )
  return rows[0]!.owners
}

/** Answers false when the person is a member already, whatever their role. */
export async function insertMembership(
  tx: Transaction,
  row: { workspaceId: string; userId: string; role: Role },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)
     on conflict (workspace_id, user_id) do nothing`,
    [row.workspaceId, row.userId, row.role],
  )
  return rowCount === 1
}

export async function updateRole(
  tx: Transaction,
  row: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  await tx.query('update memberships set role = $3, updated_at = now() where workspace_id = $1 and user_id = $2', [
    row.workspaceId,
    row.userId,
    row.role,
  ])
}

export async function deleteMembership(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
  await tx.query('delete from memberships where workspace_id = $1 and user_id = $2', [workspaceId, userId])
}
