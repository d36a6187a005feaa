import type pg from 'pg'
import { invalid, notFound } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import { countAttempt, forgetAttempts } from '../auth/limit-attempts.ts'
import { type ClientOrigin, ownPasswordSince } from '../auth/log-in.ts'
import { lockPerson, lockWithPassword, recordAccountAudit, type User } from '../auth/people.ts'
import { factorState } from './queries.ts'
import { requireOneCode, type ShownCode, takeCode, wrongOwnCode } from './take-code.ts'

/** A proof that a person gives once more: a code where they have a second factor, else their password. */
export type Shown = ShownCode & { password?: string }
export type StepUpDeps = { sql: pg.Pool; secrets: SecretBox }

/** Since when password and second factor are those of a person who has proven themselves by one of the two. */
export type Proof = { passwordSince: string; factorSince: string | null }

/** Which of the two is asked of a person. */
export async function proofAsked({ sql }: Pick<StepUpDeps, 'sql'>, userId: string): Promise<'code' | 'password'> {
  return (await factorState(sql, userId)).enabled ? 'code' : 'password'
}

/**
 * Somebody shows that the session is theirs, before an act that a stolen one must not do. Each try counts as one at a login, and a
 * wrong one is in the log. Throws 400 for what is missing, wrong or was used, 429 while account or address have to wait.
 */
export async function requireStepUp(deps: StepUpDeps, caller: Caller, shown: Shown): Promise<void> {
  const { requestId, ip, userAgent, actor } = caller
  await proveOneself(deps, actor.id, { ...shown, origin: { requestId, ip: ip ?? '', userAgent } })
}

/** The same; the answer is what `lockProven` holds an act of the person to. */
export async function proveOneself(deps: StepUpDeps, userId: string | null, from: From): Promise<Proof> {
  const { passwordSince, ...user } = await userById(deps.sql, userId)
  const { enabledAt } = await factorState(deps.sql, user.id)
  if (enabledAt === null) return { passwordSince: await requirePassword(deps, user, from), factorSince: null }
  await requireOwnCode(deps, user, from)
  return { passwordSince, factorSince: enabledAt }
}

/** Locks a person who has proven themselves; false when their password or their second factor is another by now. */
export async function lockProven(tx: Transaction, userId: string, proof: Proof): Promise<boolean> {
  if (!(await lockWithPassword(tx, userId, proof.passwordSince))) return false
  return (await factorState(tx, userId)).enabledAt === proof.factorSince
}

async function requirePassword({ sql }: StepUpDeps, user: User, { password, origin }: From): Promise<string> {
  if (password === undefined) throw invalid([{ pointer: '/password', detail: 'is required' }])
  const since = await ownPasswordSince({ sql }, user, { password, origin })
  if (since === undefined) throw invalid([{ pointer: '/password', detail: 'is not yours' }])
  return since
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

async function userById(sql: pg.Pool, id: string | null): Promise<User & { passwordSince: string }> {
  const { rows } = await sql.query<User & { passwordSince: string }>({
    name: 'user_of_step_up',
    text: 'select id, email, name, password_changed_at as "passwordSince" from users where id = $1',
    values: [id],
  })
  if (rows[0] === undefined) throw notFound()
  return rows[0]
}
