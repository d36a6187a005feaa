import type pg from 'pg'
import { lastOwner, missingPermission, notFound, roleAboveOwn } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { endAgentsOf } from '../auth/agent-tokens.ts'
import type { Caller } from '../auth/caller.ts'
import { isAbove, ROLE_PERMISSIONS, type Role } from '../auth/roles.ts'
import {
  countOwners,
  deleteMembership,
  lockMembers,
  type MemberRow,
  memberByIdStatement,
  membersPageStatement,
  membersTotalStatement,
  roleOf,
  updateRole,
} from './member-queries.ts'

type Deps = { sql: pg.Pool }

export async function listMembers(
  { sql }: Deps,
  workspaceId: string,
  query: PageQuery,
): Promise<{ items: MemberRow[]; total: number }> {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, membersPageStatement(workspaceId, query)),
    queryInScope(sql, workspaceId, membersTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** 404 for somebody who does not belong to the workspace. */
export async function readMember({ sql }: Deps, workspaceId: string, userId: string): Promise<MemberRow> {
  const [row] = await queryInScope(sql, workspaceId, memberByIdStatement(workspaceId, userId))
  if (row === undefined) throw notFound()
  return row
}

export type RoleChange = { userId: string; role: Role; ifMatch: string | undefined }

/**
 * Gives a member another role, in force at their next request. 403 when theirs or the new one is above the caller's own,
 * 404, 409 for the last owner, 412.
 */
export async function changeRole(deps: Deps, caller: Caller, input: RoleChange): Promise<MemberRow> {
  const { workspaceId } = caller
  const { userId, role, ifMatch } = input
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await memberForChange(tx, caller, userId)
    requireMatch(ifMatch, before)
    await requireAtMostOwnRole(tx, caller, role)
    if (before.role === role) return before
    if (before.role === 'owner') await requireAnotherOwner(tx, workspaceId)
    await updateRole(tx, { workspaceId, userId, role })
    await recordAudit(tx, caller, {
      action: 'membership.update',
      target: { type: 'user', id: userId, name: before.name },
      diff: { role: { from: before.role, to: role } },
    })
    const { rows } = await tx.query(memberByIdStatement(workspaceId, userId))
    return rows[0]!
  })
}

/** Ends a membership; the account stays. 403 for somebody above the caller, 404, 409 for the last owner, 412. */
export async function removeMember(
  deps: Deps,
  caller: Caller,
  { userId, ifMatch }: Omit<RoleChange, 'role'>,
): Promise<void> {
  await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const member = await memberForChange(tx, caller, userId)
    requireMatch(ifMatch, member)
    await endMembership(tx, caller, member)
  })
}

/** Ends the caller's own membership, whatever their role. 409 for the last owner. */
export async function leaveWorkspace(deps: Deps, caller: Caller): Promise<void> {
  await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    await endMembership(tx, caller, await lockedMember(tx, caller.workspaceId, caller.actor.id))
  })
}

/** The member, with memberships locked, once it is certain that the caller may change them. 403, 404. */
export async function memberForChange(tx: Transaction, caller: Caller, userId: string): Promise<MemberRow> {
  const member = await lockedMember(tx, caller.workspaceId, userId)
  await requireAtMostOwnRole(tx, caller, member.role)
  return member
}

/**
 * 403 unless the caller, by their role at this moment, runs the people of the workspace and the role is not above theirs.
 * The operator and the system are above every role.
 */
export async function requireAtMostOwnRole(tx: Transaction, caller: Caller, role: Role): Promise<void> {
  const { actor, workspaceId } = caller
  if (actor.kind === 'operator' || actor.kind === 'system') return
  const own = actor.kind === 'user' && actor.id !== null ? await roleOf(tx, workspaceId, actor.id) : undefined
  if (own === undefined || !ROLE_PERMISSIONS[own].has('members:write')) throw missingPermission('members:write')
  if (isAbove(role, own)) throw roleAboveOwn(role)
}

async function lockedMember(tx: Transaction, workspaceId: string, userId: string | null): Promise<MemberRow> {
  await lockMembers(tx, workspaceId)
  const { rows } = userId === null ? { rows: [] } : await tx.query(memberByIdStatement(workspaceId, userId))
  const [member] = rows
  if (member === undefined) throw notFound()
  return member
}

async function endMembership(tx: Transaction, caller: Caller, member: MemberRow): Promise<void> {
  const { workspaceId } = caller
  if (member.role === 'owner') await requireAnotherOwner(tx, workspaceId)
  await deleteMembership(tx, workspaceId, member.id)
  await recordAudit(tx, caller, {
    action: 'membership.delete',
    target: { type: 'user', id: member.id, name: member.name },
    diff: { role: { from: member.role, to: null } },
  })
  await endAgentsOf(tx, caller, member.id)
}

async function requireAnotherOwner(tx: Transaction, workspaceId: string): Promise<void> {
  if ((await countOwners(tx, workspaceId)) < 2) throw lastOwner()
}
