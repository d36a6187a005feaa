import type pg from 'pg'
import { wrongCredentials } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { accountEmail } from './accounts.ts'
import { type Attempt, countAttempt, forgetAttempts, touchAttempt } from './limit-attempts.ts'
import { issueTicket, type LoginTicket } from './login-tickets.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password-hash.ts'
import { lockWithPassword, type Origin, recordAccountAudit, type User } from './people.ts'
import { closeSession, openSession } from './sessions.ts'

type Deps = { sql: pg.Pool }

export type ClientOrigin = Origin & { ip: string }
export type LogIn = { email: string; password: string; origin: ClientOrigin; presented: Buffer | undefined }
export type LoggedIn =
  | { outcome: 'signed_in'; user: User; sessionId: string }
  | ({ outcome: 'second_factor_required' } & LoginTicket)

/**
 * Opens a session for the right email and password, always under a new id; the one presented ends. An account with a
 * second factor gets a ticket instead. Throws 401 with the same words and after the same time whether the account exists
 * or not, 429 while account or address have to wait.
 */
export async function logIn(deps: Deps, input: LogIn): Promise<LoggedIn> {
  const attempt = { what: 'login', account: accountEmail(input.email), ip: input.origin.ip } as const
  await countAttempt(deps.sql, attempt)
  const account = await accountOf(deps, attempt.account)
  const isRight = await verifyPassword(input.password, account?.passwordHash)
  if (account === undefined || !isRight) {
    await recordFailure(deps, account?.user, { attempt, origin: input.origin })
    throw wrongCredentials()
  }
  const { user, passwordHash, passwordChangedAt } = account
  const renewed = isOutdatedHash(passwordHash) ? await hashPassword(input.password) : undefined
  const loggedIn = await inTransaction<LoggedIn | undefined>(deps.sql, ALL_WORKSPACES, async (tx) => {
    // From here on a new password, or a factor that is set up, waits for this session and ends it.
    if (!(await lockWithPassword(tx, user.id, passwordChangedAt))) return undefined
    if (renewed !== undefined) {
      // Only over the hash that was checked: a password changed meanwhile stays changed.
      await tx.query('update users set password_hash = $2 where id = $1 and password_hash = $3', [
        user.id,
        renewed,
        passwordHash,
      ])
    }
    if (await hasSecondFactor(tx, user.id)) {
      return { outcome: 'second_factor_required', ...(await issueTicket(tx, user.id)) }
    }
    return { outcome: 'signed_in', user, sessionId: await signIn(tx, user, input) }
  })
  if (loggedIn === undefined) {
    await recordFailure(deps, user, { attempt, origin: input.origin })
    throw wrongCredentials()
  }
  await forgetAttempts(deps.sql, attempt)
  return loggedIn
}

/** Opens the session of a login that has shown everything it must; the one presented ends. Answers its id. */
export async function signIn(
  tx: Transaction,
  user: User,
  { origin, presented }: { origin: Origin; presented: Buffer | undefined },
): Promise<string> {
  if (presented) await closeSession(tx, presented)
  await recordAccountAudit(tx, user, { ...origin, action: 'user.login' })
  return openSession(tx, user, origin)
}

/** Ends a session. One that does not exist is no error: there is nothing to end. */
export async function logOut(deps: Deps, session: Buffer, origin: Origin): Promise<void> {
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    const user = await closeSession(tx, session)
    if (user) await recordAccountAudit(tx, user, { ...origin, action: 'user.logout' })
  })
}

/** Whether a person's password is the right one; each try counts, and a wrong one is in the log. */
export async function isOwnPassword(
  deps: Deps,
  user: User,
  input: { password: string; origin: ClientOrigin },
): Promise<boolean> {
  return (await ownPasswordSince(deps, user, input)) !== undefined
}

/** The same for an act that `lockWithPassword` holds it against: since when the right one has been theirs. Undefined for a wrong one. */
export async function ownPasswordSince(
  deps: Deps,
  user: User,
  input: { password: string; origin: ClientOrigin },
): Promise<string | undefined> {
  const attempt = { what: 'login', account: user.email, ip: input.origin.ip } as const
  await countAttempt(deps.sql, attempt)
  const account = await accountOf(deps, user.email)
  const isRight = await verifyPassword(input.password, account?.passwordHash)
  if (isRight) await forgetAttempts(deps.sql, attempt)
  else await recordFailure(deps, user, { attempt, origin: input.origin })
  return isRight ? account?.passwordChangedAt : undefined
}

async function accountOf({ sql }: Deps, email: string) {
  const { rows } = await sql.query<User & { passwordHash: string; passwordChangedAt: string }>({
    name: 'account-by-email',
    text: `select id, email, name, password_hash as "passwordHash", password_changed_at as "passwordChangedAt"
      from users where email = $1`,
    values: [email],
  })
  const [row] = rows
  if (row === undefined) return undefined
  const { passwordHash, passwordChangedAt, ...user } = row
  return { user, passwordHash, passwordChangedAt }
}

async function hasSecondFactor(tx: Transaction, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from second_factors where user_id = $1 and confirmed_at is not null', [
    userId,
  ])
  return rowCount === 1
}

/** Nobody has this id. */
const NOBODY: User = { id: '0', email: '', name: '' }

/** The same statements and one write whether there is an account or not, so that the time does not tell. */
async function recordFailure(
  { sql }: Deps,
  user: User | undefined,
  { attempt, origin }: { attempt: Attempt; origin: Origin },
): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    await recordAccountAudit(tx, user ?? NOBODY, { ...origin, action: 'user.login_failed' })
    if (user === undefined) await touchAttempt(tx, attempt)
  })
}
