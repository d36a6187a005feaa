import type pg from 'pg'
import { invalid } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { endAllAgentsOf } from './agent-tokens.ts'
import { type ClientOrigin, isOwnPassword } from './log-in.ts'
import { closeTicketsOf } from './login-tickets.ts'
import { hashPassword } from './password-hash.ts'
import { type Origin, recordAccountAudit, type User } from './people.ts'
import { closeOtherSessions, lockSignedIn, type SignedIn } from './sessions.ts'

export type PasswordChange = { currentPassword: string; newPassword: string; origin: ClientOrigin }

/**
 * Changes a password and ends the person's other sessions and their agents. 400 names the current password when it is wrong; 401 when the
 * session was ended meanwhile.
 */
export async function changePassword(
  deps: { sql: pg.Pool },
  signedIn: SignedIn,
  { currentPassword, newPassword, origin }: PasswordChange,
): Promise<void> {
  const { user, sessionHash } = signedIn
  if (!(await isOwnPassword(deps, user, { password: currentPassword, origin }))) throw wrongOwnPassword()
  const passwordHash = await hashPassword(newPassword)
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockSignedIn(tx, signedIn)
    await replacePassword(tx, user, { passwordHash, kept: sessionHash, origin })
  })
}

/** 400 for a person whose own password is asked for once more. */
export const wrongOwnPassword = () => invalid([{ pointer: '/currentPassword', detail: 'is not the current password' }])

export type NewPassword = { passwordHash: string; kept: Buffer | undefined; origin: Origin }

/** Sets a password: links to set one, logins under way, all sessions but the kept one and all agents are over with it. */
export async function replacePassword(
  tx: Transaction,
  user: User,
  { passwordHash, kept, origin }: NewPassword,
): Promise<void> {
  await tx.query('update users set password_hash = $2, password_changed_at = now(), updated_at = now() where id = $1', [
    user.id,
    passwordHash,
  ])
  await closeTicketsOf(tx, user.id)
  await closeOtherSessions(tx, user.id, kept)
  await endAllAgentsOf(tx, user, { ...origin, reason: 'password_changed' })
  await recordAccountAudit(tx, user, { ...origin, action: 'user.password_change', diff: { password: 'changed' } })
}
