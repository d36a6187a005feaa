import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, type Queryable, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { type Actor, type AuditEntry, recordAudit } from '../audit/record-audit.ts'
import type { Role } from './roles.ts'

export type User = { id: string; email: string; name: string }
export type Membership = { id: string; slug: string; name: string; role: Role }
/** Where a request of a person comes from. */
export type Origin = { requestId: string | null; ip: string | null; userAgent: string | null }

/**
 * Lets one transaction at a time change how a person logs in, or log them in with a code. Taken before tickets, factor and
 * recovery codes are, whose order differs: two that took them crosswise would wait for each other.
 */
export async function lockPerson(tx: Transaction, userId: string): Promise<void> {
  await tx.query('select from users where id = $1 for no key update', [userId])
}

/** The same for a person whose password was found right; false when it has been changed since. */
export async function lockWithPassword(tx: Transaction, userId: string, passwordChangedAt: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from users where id = $1 and password_changed_at = $2 for no key update',
    [userId, passwordChangedAt],
  )
  return rowCount === 1
}

/** The workspaces a person belongs to, oldest first. */
export async function membershipsOf(sql: pg.Pool, userId: string): Promise<Membership[]> {
  return queryInScope<Membership>(sql, ALL_WORKSPACES, {
    name: 'memberships-of-user',
    text: `select w.id, w.slug, w.name, m.role from memberships m join workspaces w on w.id = m.workspace_id
           where m.user_id = $1 order by w.id`,
    values: [userId],
  })
}

/** An act on an account; `actor` is the person themselves when absent. */
export type AccountAct = Origin & Pick<AuditEntry, 'action' | 'diff'> & { actor?: Actor }

/** Records what was done to a person's account in the log of each workspace they belong to. */
export async function recordAccountAudit(tx: Transaction, user: User, act: AccountAct): Promise<void> {
  const { action, diff, actor = { kind: 'user', id: user.id, name: user.name }, ...origin } = act
  const { rows } = await tx.query<{ workspaceId: string }>(
    'select workspace_id as "workspaceId" from memberships where user_id = $1 order by workspace_id',
    [user.id],
  )
  for (const { workspaceId } of rows) {
    const target = { type: 'user', id: user.id, name: user.name }
    await recordAudit(tx, { workspaceId, actor, ...origin }, { action, target, ...(diff ? { diff } : {}) })
  }
}

/** The workspace a caller acts in. */
export async function workspaceById(db: Queryable, id: string): Promise<Omit<Membership, 'role'>> {
  const { rows } = await db.query<Omit<Membership, 'role'>>({
    name: 'workspace-by-id',
    text: 'select id, slug, name from workspaces where id = $1',
    values: [id],
  })
  const [workspace] = rows
  if (workspace === undefined) throw notFound()
  return workspace
}

/** The role of a person, who keeps it until the transaction ends; undefined for who is no member. */
export async function lockRole(tx: Transaction, workspaceId: string, userId: string): Promise<Role | undefined> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-role-of-maker',
    text: 'select role from memberships where workspace_id = $1 and user_id = $2 for share',
    values: [workspaceId, userId],
  })
  return rows[0]?.role
}
