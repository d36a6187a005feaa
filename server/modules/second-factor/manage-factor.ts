import type pg from 'pg'
import { conflict } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { endAllAgentsOf } from '../auth/agent-tokens.ts'
import { wrongOwnPassword } from '../auth/change-password.ts'
import { countAttempt, forgetAttempts } from '../auth/limit-attempts.ts'
import { type ClientOrigin, isOwnPassword } from '../auth/log-in.ts'
import { recordAccountAudit, type User } from '../auth/people.ts'
import { closeOtherSessions, lockSignedIn, type SignedIn } from '../auth/sessions.ts'
import { accountNotice } from '../system-mail/account-notice.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import { confirmFactor, deleteFactor, insertUnconfirmed, lockSecret, replaceRecoveryCodes } from './queries.ts'
import { makeRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts'
import { factorRow, requireOneCode, type ShownCode, type Taken, takeCode, wrongOwnCode } from './take-code.ts'
import { newTotpSecret, otpauthUrl, stepOf } from './totp.ts'

export type FactorDeps = { sql: pg.Pool; secrets: SecretBox; mailer: SystemMailer }

/** The password is asked for once more: a session that was left open, or stolen, must not lock its owner out. */
export type WithPassword = { currentPassword: string; origin: ClientOrigin }

/**
 * Begins to set up a second factor: it asks for nothing until a first code confirms it. 400 for a wrong password, 409
 * when there is one.
 */
export async function beginEnrolment(deps: FactorDeps, signedIn: SignedIn, input: WithPassword) {
  const { user } = signedIn
  await requireOwnPassword(deps, user, input)
  const secret = newTotpSecret()
  const sealed = deps.secrets.seal(secret, factorRow(user.id))
  const begun = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockSignedIn(tx, signedIn)
    return insertUnconfirmed(tx, user.id, sealed)
  })
  if (!begun) throw conflict('secondFactor', 'is set up already')
  return { secret, otpauthUrl: otpauthUrl(secret, user.email) }
}

/**
 * Confirms it with a first code, and from then on every login needs one. Sessions opened before by the password alone
 * end, but for the one in use. Answers the recovery codes, which are shown this once. 400 for a wrong code.
 */
export async function confirmEnrolment(
  deps: FactorDeps,
  signedIn: SignedIn,
  { code, origin }: { code: string; origin: ClientOrigin },
): Promise<string[]> {
  const { user, sessionHash } = signedIn
  const attempt = { what: 'code', account: user.id, ip: origin.ip } as const
  await countAttempt(deps.sql, attempt)
  const codes = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockSignedIn(tx, signedIn)
    const sealed = await lockSecret(tx, user.id, { confirmed: false })
    if (sealed === undefined) throw conflict('secondFactor', 'is not being set up')
    const step = stepOf(code, deps.secrets.open(sealed, factorRow(user.id)), Date.now())
    if (step === undefined) throw wrongOwnCode()
    await confirmFactor(tx, user.id, step)
    await closeOtherSessions(tx, user.id, sessionHash)
    await recordAccountAudit(tx, user, { ...origin, action: 'user.second_factor_enroll' })
    await deps.mailer.queue(tx, accountNotice(user, 'A second factor was set up for your account.'))
    return newRecoveryCodes(tx, user.id)
  })
  await forgetAttempts(deps.sql, attempt)
  return codes
}

export type WithCode = WithPassword & ShownCode

/**
 * Switches the second factor off. By a recovery code it is the reset of one that was lost, which ends other sessions and all agents.
 * 400 for a wrong password or code.
 */
export async function disableFactor(deps: FactorDeps, signedIn: SignedIn, input: WithCode): Promise<void> {
  const { user, sessionHash } = signedIn
  await withOwnCode(deps, signedIn, input, async (tx, taken) => {
    await deleteFactor(tx, user.id)
    if (taken === 'recovery_code') {
      await closeOtherSessions(tx, user.id, sessionHash)
      await endAllAgentsOf(tx, user, { ...input.origin, reason: 'second_factor_reset' })
    }
    await recordAccountAudit(tx, user, { ...input.origin, action: 'user.second_factor_disable' })
    await deps.mailer.queue(tx, accountNotice(user, 'The second factor of your account was switched off.'))
  })
}

/** Ten new recovery codes; the old ones are over. 400 for a wrong password or code. */
export async function regenerateRecoveryCodes(
  deps: FactorDeps,
  signedIn: SignedIn,
  input: WithCode,
): Promise<string[]> {
  const { user } = signedIn
  return withOwnCode(deps, signedIn, input, async (tx) => {
    await recordAccountAudit(tx, user, { ...input.origin, action: 'user.recovery_codes_regenerate' })
    return newRecoveryCodes(tx, user.id)
  })
}

async function requireOwnPassword(deps: FactorDeps, user: User, input: WithPassword): Promise<void> {
  const { currentPassword: password, origin } = input
  if (!(await isOwnPassword(deps, user, { password, origin }))) throw wrongOwnPassword()
}

/** Runs `work` in the transaction that takes the code, once password and code are right. */
async function withOwnCode<T>(
  deps: FactorDeps,
  signedIn: SignedIn,
  { origin, ...input }: WithCode,
  work: (tx: Transaction, taken: Taken) => Promise<T>,
): Promise<T> {
  const { user } = signedIn
  requireOneCode(input)
  await requireOwnPassword(deps, user, { ...input, origin })
  const attempt = { what: 'code', account: user.id, ip: origin.ip } as const
  await countAttempt(deps.sql, attempt)
  const done = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockSignedIn(tx, signedIn)
    const taken = await takeCode(tx, deps.secrets, { ...input, userId: user.id })
    if (taken === undefined) throw wrongOwnCode()
    if (taken === 'recovery_code') {
      await recordAccountAudit(tx, user, { ...origin, action: 'user.recovery_code_use' })
    }
    return work(tx, taken)
  })
  await forgetAttempts(deps.sql, attempt)
  return done
}

async function newRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = makeRecoveryCodes()
  const hashes = codes.map((code) => recoveryCodeHash(userId, code))
  await replaceRecoveryCodes(tx, userId, hashes)
  return codes
}
