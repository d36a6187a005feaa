import type pg from 'pg'
import { invalidToken } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { GuardParts } from '../auth/guard.ts'
import type { TokenFacts } from '../auth/token-cache.ts'

export type LogInDeps = { sql: pg.Pool; guard: Pick<GuardParts, 'tokens' | 'limits'> }

/** Somebody who has shown a token that may send. */
export type LoggedIn = { token: string; facts: TokenFacts }

export type LogIn = { outcome: 'in'; user: LoggedIn } | { outcome: 'refused' | 'too_many' }

/** The user name that any token goes with, beside the slug of its workspace. */
const USER_NAME = 'postroom'

/**
 * Lets somebody in whose password is a token with the scope `emails:send`. Which of the two was wrong nobody learns; failures
 * count for the client's address, with those of the API.
 */
export async function logIn(
  { sql, guard }: LogInDeps,
  { username, password, ip }: { username: string; password: string; ip: string },
): Promise<LogIn> {
  const facts = await tokenThatSends(guard, password)
  if (facts !== undefined && (await isUserOf(sql, facts.workspaceId, username))) {
    return { outcome: 'in', user: { token: password, facts } }
  }
  const failure = invalidToken()
  return { outcome: guard.limits.refuseFailure(ip, failure) === failure ? 'refused' : 'too_many' }
}

/** The facts of a token that may send, as of less than a second ago; undefined once it was revoked. */
export async function tokenThatSends(
  { tokens }: Pick<GuardParts, 'tokens'>,
  token: string,
): Promise<TokenFacts | undefined> {
  const facts = await tokens.lookUp(token)
  return facts?.scopes.has('emails:send') ? facts : undefined
}

async function isUserOf(sql: pg.Pool, workspaceId: string, username: string): Promise<boolean> {
  const name = username.toLowerCase()
  if (name === USER_NAME) return true
  const [row] = await queryInScope<{ slug: string }>(sql, workspaceId, {
    name: 'slug_of_workspace',
    text: 'select slug from workspaces where id = $1',
    values: [workspaceId],
  })
  return row?.slug === name
}
