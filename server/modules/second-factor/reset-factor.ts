import { invalid, notFound, unprocessable } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { accountByEmail, accountEmail } from '../auth/accounts.ts'
import { endAllAgentsOf } from '../auth/agent-tokens.ts'
import type { Caller } from '../auth/caller.ts'
import { closeTicketsOf } from '../auth/login-tickets.ts'
import { lockPerson, type Origin, recordAccountAudit, type User } from '../auth/people.ts'
import { closeOtherSessions } from '../auth/sessions.ts'
import { memberForChange } from '../members/manage-members.ts'
import { accountNotice } from '../system-mail/account-notice.ts'
import type { FactorDeps } from './manage-factor.ts'
import { belongsElsewhere, deleteFactor } from './queries.ts'

/**
 * Removes the second factor of a member who has lost it; in the log of this workspace only. Their sessions and agents end. 404 for
 * somebody without one, 403 for somebody above the caller, 400 for the caller's own: that takes password and code. 422
 * for a member of a workspace that the caller does not run, whose door would be opened too: that is the operator's.
 */
export async function resetMembersFactor(deps: FactorDeps, caller: Caller, userId: string): Promise<void> {
  if (caller.actor.id === userId) throw invalid([{ pointer: '/userId', detail: 'is you: switch it off instead' }])
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    const member = await memberForChange(tx, caller, userId)
    if (await belongsElsewhere(tx, userId, caller.actor.id)) {
      const detail = 'belongs to a workspace that you do not run: the operator of the instance resets it'
      throw unprocessable([{ pointer: '/userId', detail }])
    }
    const { actor, requestId, ip, userAgent } = caller
    await removeFactor(deps, tx, { user: member, by: { actor, requestId, ip, userAgent } })
    await recordAudit(tx, caller, {
      action: 'user.second_factor_reset',
      target: { type: 'user', id: userId, name: member.name },
    })
  })
}

/** The same by the operator, for anybody, in the log of each of their workspaces. 404 without account or factor. */
export async function resetFactorOf(deps: FactorDeps, actor: Actor, email: string): Promise<void> {
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    const user = await accountByEmail(tx, accountEmail(email))
    if (user === undefined) throw notFound()
    const origin = { requestId: null, ip: null, userAgent: null }
    await removeFactor(deps, tx, { user, by: { ...origin, actor } })
    await recordAccountAudit(tx, user, { ...origin, actor, action: 'user.second_factor_reset' })
  })
}

type Removal = { user: User; by: Origin & { actor: Actor } }

async function removeFactor(deps: FactorDeps, tx: Transaction, { user, by }: Removal): Promise<void> {
  await lockPerson(tx, user.id)
  if (!(await deleteFactor(tx, user.id))) throw notFound()
  await closeTicketsOf(tx, user.id)
  await closeOtherSessions(tx, user.id, undefined)
  // The lost device may be in somebody's hands, who may have been in; what they connected would stay in.
  await endAllAgentsOf(tx, user, { ...by, reason: 'second_factor_reset' })
  await deps.mailer.queue(tx, accountNotice(user, 'The second factor of your account was removed by an administrator.'))
}
