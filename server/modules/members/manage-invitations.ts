import type pg from 'pg'
import { conflict, invalid, notFound, tooManyRequests, unprocessable } from '../../catalogue/problems.ts'
import { makeOneTimeToken } from '../../platform/crypto/one-time-token.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type AuditEntry, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { countAttempt } from '../auth/limit-attempts.ts'
import { workspaceById } from '../auth/people.ts'
import type { Role } from '../auth/roles.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import { INVITATION_PAGE, INVITATION_SECONDS, invitationMail } from './invitation-mail.ts'
import {
  deleteInvitation,
  type InvitationRow,
  insertInvitation,
  invitationForChange,
  invitationsPageStatement,
  invitationsTotalStatement,
  isMemberEmail,
  renewInvitation,
} from './invitation-queries.ts'
import { requireAtMostOwnRole } from './manage-members.ts'
import { lockMembers } from './member-queries.ts'

/** Invitations that are out at once: enough for a company, too few to mail strangers with. */
const OPEN_INVITATIONS_MAX = 200
const RESEND_AFTER_SECONDS = 60

export type InvitationDeps = { sql: pg.Pool; mailer: SystemMailer }

/** `link` only where no mail leaves the instance; else the mail is the one place that has it. */
export type SentInvitation = InvitationRow & { link: string | null }

export async function listInvitations({ sql }: InvitationDeps, workspaceId: string, query: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, invitationsPageStatement(workspaceId, query)),
    queryInScope(sql, workspaceId, invitationsTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/**
 * Invites an address. 400 for what is no address, 403 for a role above the caller's own, 409 for a member and for an
 * address that has an open invitation, 422 for too many, 429 for one address or from one address too often.
 */
export async function createInvitation(
  deps: InvitationDeps,
  caller: Caller,
  input: { email: string; role: Role },
): Promise<SentInvitation> {
  const email = normaliseEmail(input.email)
  if (email === undefined) throw invalid([{ pointer: '/email', detail: 'is not an email address' }])
  const { workspaceId, ip } = caller
  if (ip !== null) await countAttempt(deps.sql, { what: 'invite', account: email, ip })
  const { token, hash } = makeOneTimeToken()
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await lockMembers(tx, workspaceId)
    await requireAtMostOwnRole(tx, caller, input.role)
    if (await isMemberEmail(tx, workspaceId, email)) throw conflict('email', 'is a member already')
    const row = await insertInvitation(tx, {
      workspaceId,
      email,
      role: input.role,
      tokenHash: hash,
      ...inviterOf(caller),
      lifeSeconds: INVITATION_SECONDS,
    })
    if (row === undefined) throw conflict('email', 'has an invitation already')
    await requireRoom(tx, workspaceId)
    await recordAudit(tx, caller, {
      action: 'invitation.create',
      target: auditedInvitation(row.id),
      diff: { email: 'changed', role: { from: null, to: row.role } },
    })
    return send(deps, tx, { workspaceId, row, token })
  })
}

/**
 * Sends an invitation again with a new link; the old one is over. 404, 403, 429 within a minute of the last time, and for one address
 * or from one address too often.
 */
export async function resendInvitation(deps: InvitationDeps, caller: Caller, id: string): Promise<SentInvitation> {
  const { workspaceId, ip } = caller
  const { email } = await inTransaction(deps.sql, workspaceId, (tx) => resendable(tx, caller, id))
  // Counted by itself, so that a refusal counts too. One within the minute mails nobody, and does not.
  if (ip !== null) await countAttempt(deps.sql, { what: 'invite', account: email, ip })
  const { token, hash } = makeOneTimeToken()
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await resendable(tx, caller, id)
    const row = await renewInvitation(tx, {
      workspaceId,
      id,
      tokenHash: hash,
      ...inviterOf(caller),
      lifeSeconds: INVITATION_SECONDS,
    })
    await recordAudit(tx, caller, { action: 'invitation.resend', target: auditedInvitation(id) })
    return send(deps, tx, { workspaceId, row, token })
  })
}

async function resendable(tx: Transaction, caller: Caller, id: string): Promise<{ email: string }> {
  const before = await invitationForChange(tx, caller.workspaceId, id)
  if (before === undefined) throw notFound()
  await requireAtMostOwnRole(tx, caller, before.role)
  const sentSecondsAgo = (Date.now() - Date.parse(before.sentAt)) / 1_000
  if (sentSecondsAgo < RESEND_AFTER_SECONDS) throw tooManyRequests(RESEND_AFTER_SECONDS - sentSecondsAgo)
  return before
}

/** Ends an invitation; its link opens nothing. 404, 403 for a role above the caller's own. */
export async function revokeInvitation({ sql }: InvitationDeps, caller: Caller, id: string): Promise<void> {
  await inTransaction(sql, caller.workspaceId, async (tx) => {
    const before = await invitationForChange(tx, caller.workspaceId, id)
    if (before === undefined) throw notFound()
    await requireAtMostOwnRole(tx, caller, before.role)
    await deleteInvitation(tx, caller.workspaceId, id)
    await recordAudit(tx, caller, {
      action: 'invitation.revoke',
      target: auditedInvitation(id),
      diff: { role: { from: before.role, to: null } },
    })
  })
}

/** An invitation of the operator is nobody's. */
function inviterOf({ actor }: Caller) {
  return { inviterId: actor.kind === 'user' && actor.id !== null ? actor.id : undefined, inviterName: actor.name }
}

/** The address is a person's and stays out of the log. */
function auditedInvitation(id: string): AuditEntry['target'] {
  return { type: 'invitation', id, name: null }
}

async function requireRoom(tx: Transaction, workspaceId: string): Promise<void> {
  const { rows } = await tx.query(invitationsTotalStatement(workspaceId))
  if (Number(rows[0]?.total) <= OPEN_INVITATIONS_MAX) return
  throw unprocessable([{ pointer: '', detail: `a workspace has at most ${OPEN_INVITATIONS_MAX} open invitations` }])
}

type Sending = { workspaceId: string; row: InvitationRow; token: string }

async function send({ mailer }: InvitationDeps, tx: Transaction, sending: Sending): Promise<SentInvitation> {
  const { row, token } = sending
  const { name } = await workspaceById(tx, sending.workspaceId)
  const url = mailer.pageUrl(INVITATION_PAGE, token)
  await mailer.queue(tx, invitationMail({ ...row, workspaceName: name, url }))
  return { ...row, link: mailer.sends ? null : url }
}
