import type pg from 'pg'
import { invalid, notFound } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import { countAttempt, forgetAttempts } from '../auth/limit-attempts.ts'
import { type ClientOrigin, isOwnPassword } from '../auth/log-in.ts'
import { lockPerson, recordAccountAudit, type User } from '../auth/people.ts'
import { factorState } from './queries.ts'
import { requireOneCode, type ShownCode, takeCode, wrongOwnCode } from './take-code.ts'

/** A proof that a person gives once more: a code where they have a second factor, else their password. */
export type Shown = ShownCode & { password?: string }
export type StepUpDeps = { sql: pg.Pool; secrets: SecretBox }

/**
 * Somebody shows that the session is theirs, before an act that a stolen one must not do. Each try counts as one at a login, and a
 * wrong one is in the log. Throws 400 for what is missing, wrong or was used, 429 while account or address have to wait.
 */
export async function requireStepUp(deps: StepUpDeps, caller: Caller, shown: Shown): Promise<void> {
  const { requestId, ip, userAgent, actor } = caller
  const origin = { requestId, ip: ip ?? '', userAgent }
  const user = await userById(deps.sql, actor.id)
  const { enabled } = await factorState(deps.sql, user.id)
  return enabled ? requireOwnCode(deps, user, { ...shown, origin }) : requirePassword(deps, user, { ...shown, origin })
}

async function requirePassword({ sql }: StepUpDeps, user: User, { password, origin }: From): Promise<void> {
  if (password === undefined) throw invalid([{ pointer: '/password', detail: 'is required' }])
  if (await isOwnPassword({ sql }, user, { password, origin })) return
  throw invalid([{ pointer: '/password', detail: 'is not your password' }])
}

type From = Shown & { origin: ClientOrigin }

/** The password was shown at the login; a code says that whoever sits there now is the same. */
async function requireOwnCode({ sql, secrets }: StepUpDeps, user: User, { origin, ...shown }: From): Promise<void> {
  requireOneCode(shown)
  const attempt = { what: 'code', account: user.id, ip: origin.ip } as const
  await countAttempt(sql, attempt)
  const taken = await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    await lockPerson(tx, user.id)
    const found = await takeCode(tx, secrets, { ...shown, userId: user.id })
    if (found === undefined) await recordAccountAudit(tx, user, { ...origin, action: 'user.second_factor_failed' })
    if (found === 'recovery_code') await recordAccountAudit(tx, user, { ...origin, action: 'user.recovery_code_use' })
    return found
  })
  if (taken === undefined) throw wrongOwnCode()
  await forgetAttempts(sql, attempt)
}

async function userById(sql: pg.Pool, id: string | null): Promise<User> {
  const { rows } = await sql.query<User>({
    name: 'user_of_step_up',
    text: 'select id, email, name from users where id = $1',
    values: [id],
  })
  if (rows[0] === undefined) throw notFound()
  return rows[0]
}
