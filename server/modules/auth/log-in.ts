import type pg from 'pg'
import { invalid, wrongCredentials } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { countLoginAttempt, forgetLoginAttempts } from './limit-logins.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password-hash.ts'
import { type Origin, recordAccountAudit, type User } from './people.ts'
import { closeOtherSessions, closeSession, openSession, type SignedIn } from './sessions.ts'

type Deps = { sql: pg.Pool }

export type LogIn = { email: string; password: string; origin: Origin & { ip: string }; presented: Buffer | undefined }

/**
 * Opens a session for the right email and password, always under a new id; the one presented ends. Throws 401 with the
 * same words and after the same time whether the account exists or not, 429 while account or address have to wait.
 */
export async function logIn(deps: Deps, input: LogIn): Promise<{ user: User; sessionId: string }> {
  const email = input.email.trim().toLowerCase()
  await countLoginAttempt(deps.sql, { email, ip: input.origin.ip })
  const account = await accountOf(deps, email)
  const isRight = await verifyPassword(input.password, account?.passwordHash)
  if (account === undefined || !isRight) {
    if (account) await recordFailure(deps, account.user, input.origin)
    throw wrongCredentials()
  }
  const { user, passwordHash } = account
  await forgetLoginAttempts(deps.sql, { email, ip: input.origin.ip })
  const renewed = isOutdatedHash(passwordHash) ? await hashPassword(input.password) : undefined
  const sessionId = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    if (renewed !== undefined) {
      // Only over the hash that was checked: a password changed meanwhile stays changed.
      await tx.query('update users set password_hash = $2 where id = $1 and password_hash = $3', [
        user.id,
        renewed,
        passwordHash,
      ])
    }
    if (input.presented) await closeSession(tx, input.presented)
    await recordAccountAudit(tx, user, { ...input.origin, action: 'user.login' })
    return openSession(tx, user, input.origin)
  })
  return { user, sessionId }
}

export async function logOut(deps: Deps, session: Buffer): Promise<void> {
  await inTransaction(deps.sql, ALL_WORKSPACES, (tx) => closeSession(tx, session))
}

export type PasswordChange = { currentPassword: string; newPassword: string; origin: Origin & { ip: string } }

/** Changes a password and ends the person's other sessions. 400 names the current password when it is wrong. */
export async function changePassword(deps: Deps, signedIn: SignedIn, input: PasswordChange): Promise<void> {
  const { user } = signedIn
  await countLoginAttempt(deps.sql, { email: user.email, ip: input.origin.ip })
  const account = await accountOf(deps, user.email)
  if (!(await verifyPassword(input.currentPassword, account?.passwordHash))) {
    await recordFailure(deps, user, input.origin)
    throw invalid([{ pointer: '/currentPassword', detail: 'is not the current password' }])
  }
  await forgetLoginAttempts(deps.sql, { email: user.email, ip: input.origin.ip })
  const passwordHash = await hashPassword(input.newPassword)
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await tx.query(
      'update users set password_hash = $2, password_changed_at = now(), updated_at = now() where id = $1',
      [user.id, passwordHash],
    )
    await closeOtherSessions(tx, user.id, signedIn.sessionHash)
    await recordAccountAudit(tx, user, {
      ...input.origin,
      action: 'user.password_change',
      diff: { password: 'changed' },
    })
  })
}

async function accountOf({ sql }: Deps, email: string) {
  const { rows } = await sql.query<User & { passwordHash: string }>({
    name: 'account-by-email',
    text: 'select id, email, name, password_hash as "passwordHash" from users where email = $1',
    values: [email],
  })
  const [row] = rows
  return row && { user: { id: row.id, email: row.email, name: row.name }, passwordHash: row.passwordHash }
}

async function recordFailure({ sql }: Deps, user: User, origin: Origin): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, (tx) =>
    recordAccountAudit(tx, user, { ...origin, action: 'user.login_failed' }),
  )
}
