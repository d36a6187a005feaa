import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import { rowsBefore } from '../../platform/schema/paging.ts'
import { isAbove, ROLE_PERMISSIONS, ROLES, type Role } from '../auth/roles.ts'

export type InvitationRow = {
  id: string
  email: string
  role: Role
  inviterName: string | null
  expired: boolean
  overBecause: 'time' | 'inviter' | null
  expiresAt: string
  sentAt: string
  createdAt: string
  updatedAt: string
}

const mayBeGivenBy = (own: Role) => ROLES.filter((role) => !isAbove(role, own)).map((role) => `'${role}'`)

/** The roles that those may give who run the people of a workspace, as a condition on the membership `m` and the invitation `i`. */
const MAY_GIVE = ROLES.filter((own) => ROLE_PERMISSIONS[own].has('members:write'))
  .map((own) => `(m.role = '${own}' and i.role in (${mayBeGivenBy(own)}))`)
  .join(' or ')

/** Whether whoever sent the invitation `i` may still invite to its role; of one of the operator nobody is asked. */
const INVITER_MAY = `(i.inviter_id is null or exists (
    select from memberships m where m.workspace_id = i.workspace_id and m.user_id = i.inviter_id and (${MAY_GIVE})))`
const IS_OPEN = `i.expires_at > now() and ${INVITER_MAY}`

const INVITATION = `i.id, i.email, i.role, i.inviter_name as "inviterName", not (${IS_OPEN}) as expired,
  case when i.expires_at <= now() then 'time' when not ${INVITER_MAY} then 'inviter' end as "overBecause",
  i.expires_at as "expiresAt", i.sent_at as "sentAt", i.created_at as "createdAt", i.updated_at as "updatedAt"`

export function invitationsPageStatement(
  workspaceId: string,
  page: { page: number; pageSize: number },
): Statement<InvitationRow> {
  return {
    name: 'invitations-page',
    text: `select ${INVITATION} from invitations i where i.workspace_id = $1 order by i.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function invitationsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'invitations-total',
    text: 'select count(*) as total from invitations where workspace_id = $1',
    values: [workspaceId],
  }
}

export async function invitationForChange(tx: Transaction, workspaceId: string, id: string) {
  const { rows } = await tx.query<InvitationRow>(
    `select ${INVITATION} from invitations i where i.workspace_id = $1 and i.id = $2 for update`,
    [workspaceId, id],
  )
  return rows[0]
}

export async function isMemberEmail(tx: Queryable, workspaceId: string, email: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from users u join memberships m on m.user_id = u.id where m.workspace_id = $1 and u.email = $2`,
    [workspaceId, email],
  )
  return rowCount === 1
}

export type NewInvitation = {
  workspaceId: string
  email: string
  role: Role
  tokenHash: Buffer
  /** Undefined for the operator. */
  inviterId: string | undefined
  inviterName: string | null
  lifeSeconds: number
}

/** Undefined when the address has an open invitation; one whose link is over makes way. Members are locked. */
export async function insertInvitation(tx: Transaction, row: NewInvitation): Promise<InvitationRow | undefined> {
  const values = [row.workspaceId, row.email]
  await tx.query(`delete from invitations i where i.workspace_id = $1 and i.email = $2 and not (${IS_OPEN})`, values)
  const { rows } = await tx.query<InvitationRow>(
    `insert into invitations as i (workspace_id, email, role, token_hash, inviter_name, expires_at, inviter_id)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7)
     on conflict on constraint invitations_email_taken do nothing returning ${INVITATION}`,
    [...values, row.role, row.tokenHash, row.inviterName, row.lifeSeconds, row.inviterId ?? null],
  )
  return rows[0]
}

/** Another link for an invitation; the one before is over. */
export async function renewInvitation(
  tx: Transaction,
  row: Omit<NewInvitation, 'email' | 'role'> & { id: string },
): Promise<InvitationRow> {
  const { rows } = await tx.query<InvitationRow>(
    `update invitations i set token_hash = $3, inviter_name = $4, expires_at = now() + make_interval(secs => $5),
       sent_at = now(), updated_at = now(), inviter_id = $6
     where i.workspace_id = $1 and i.id = $2 returning ${INVITATION}`,
    [row.workspaceId, row.id, row.tokenHash, row.inviterName, row.lifeSeconds, row.inviterId ?? null],
  )
  return rows[0]!
}

export async function deleteInvitation(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx.query('delete from invitations where workspace_id = $1 and id = $2', [workspaceId, id])
}

export type FoundInvitation = {
  workspaceId: string
  workspaceSlug: string
  workspaceName: string
  id: string
  email: string
  role: Role
  inviterName: string | null
  expiresAt: string
}

/** The invitation a link is for, in whatever workspace, while it is open. */
export function invitationByTokenStatement(tokenHash: Buffer): Statement<FoundInvitation> {
  return {
    name: 'invitation-by-token',
    text: `select w.id as "workspaceId", w.slug as "workspaceSlug", w.name as "workspaceName", i.id, i.email, i.role,
             i.inviter_name as "inviterName", i.expires_at as "expiresAt"
           from invitations i join workspaces w on w.id = i.workspace_id
           where i.token_hash = $1 and ${IS_OPEN}`,
    values: [tokenHash],
  }
}

/** Takes an open invitation away, so that of several who come with its link one has it. Members are locked, its sender with them. */
export async function takeInvitation(tx: Transaction, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(`delete from invitations i where i.token_hash = $1 and ${IS_OPEN}`, [tokenHash])
  return rowCount === 1
}

/** Deletes invitations whose link was over long ago. */
export const DELETE_OLD_INVITATIONS = 'delete from invitations where expires_at < now() - make_interval(days => $1)'
