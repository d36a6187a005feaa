import { randomUUID } from 'node:crypto'
import { notFound } from '../../catalogue/problems.ts'
import { oneTimeTokenHash } from '../../platform/crypto/one-time-token.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import type { Actor } from '../audit/record-audit.ts'
import { accountByEmail, accountEmail } from '../auth/accounts.ts'
import { replacePassword } from '../auth/change-password.ts'
import { forgetAttempts } from '../auth/limit-attempts.ts'
import type { ClientOrigin } from '../auth/log-in.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { recordAccountAudit } from '../auth/people.ts'
import { accountNotice } from '../system-mail/account-notice.ts'
import { insertResetRequest, type OpenReset, resetByToken, takeReset } from './queries.ts'
import { linkFor, RESET_SECONDS, type ResetDeps } from './request-password-reset.ts'

/** The person whose password a link sets. 404 for one that is unknown, used or over, or older than the password. */
export async function readReset({ sql }: ResetDeps, token: string): Promise<OpenReset> {
  const found = await resetByToken(sql, oneTimeTokenHash(token))
  if (found === undefined) throw notFound()
  return found
}

/**
 * Sets the password a link is for, and ends every session and every agent of the person. A second factor stays what it was: the next login asks for it.
 * 404 as for reading.
 */
export async function resetPassword(
  deps: ResetDeps,
  input: { token: string; password: string; origin: ClientOrigin },
): Promise<void> {
  const user = await readReset(deps, input.token)
  const passwordHash = await hashPassword(input.password)
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    if (!(await takeReset(tx, oneTimeTokenHash(input.token)))) throw notFound()
    await replacePassword(tx, user, { passwordHash, kept: undefined, origin: input.origin })
    await deps.mailer.queue(tx, accountNotice(user, 'The password of your account was changed.'))
  })
  // Guesses at the old password keep nobody from the new one.
  await forgetAttempts(deps.sql, { what: 'login', account: user.email, ip: input.origin.ip })
}

/** A link made by the operator, to be handed over by hand; in the log of the person's workspaces. 404 without account. */
export async function makeResetLink(deps: ResetDeps, actor: Actor, email: string): Promise<string> {
  const origin = { requestId: null, ip: null, userAgent: null }
  return inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    const user = await accountByEmail(tx, accountEmail(email))
    if (user === undefined) throw notFound()
    const resetId = randomUUID()
    await insertResetRequest(tx, { id: resetId, email: user.email, origin, lifeSeconds: RESET_SECONDS })
    await recordAccountAudit(tx, user, { ...origin, actor, action: 'user.password_reset_link' })
    return linkFor(deps, tx, { resetId, user })
  })
}
