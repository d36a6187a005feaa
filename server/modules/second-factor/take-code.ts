import { invalid } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { lockSecret, takeRecoveryCode, takeStep } from './queries.ts'
import { recoveryCodeHash } from './recovery-codes.ts'
import { stepOf } from './totp.ts'

/** The code that a person shows: the authenticator's code, or one of the recovery codes. */
export type ShownCode = { code?: string; recoveryCode?: string }

export type Taken = 'code' | 'recovery_code'

const CODE = /^[0-9]{6}$/

/** Either of the two, as a person typed it into one field. */
export function readCode(typed: string): ShownCode {
  const text = typed.trim()
  return CODE.test(text) ? { code: text } : { recoveryCode: text }
}

/** 400 unless it is exactly one of the two. */
export function requireOneCode({ code, recoveryCode }: ShownCode): void {
  if ((code === undefined) === (recoveryCode === undefined)) {
    throw invalid([{ pointer: '/code', detail: 'or recoveryCode must be given, and not both' }])
  }
}

/** 400 for a code that somebody shows in a session of theirs. */
export const wrongOwnCode = () => invalid([{ pointer: '/code', detail: 'is wrong or was used' }])

/** Takes a code of a locked person, once; undefined for one that is wrong or was taken before, without saying which. */
export async function takeCode(
  tx: Transaction,
  secrets: SecretBox,
  { userId, code, recoveryCode }: ShownCode & { userId: string },
): Promise<Taken | undefined> {
  if (recoveryCode !== undefined) {
    return (await takeRecoveryCode(tx, userId, recoveryCodeHash(userId, recoveryCode))) ? 'recovery_code' : undefined
  }
  const sealed = await lockSecret(tx, userId, { confirmed: true })
  if (sealed === undefined || code === undefined) return undefined
  const step = stepOf(code, secrets.open(sealed, factorRow(userId)), Date.now())
  return step !== undefined && (await takeStep(tx, userId, step)) ? 'code' : undefined
}

/** The row that a sealed secret is bound to. */
export function factorRow(userId: string): string {
  return `users/${userId}/second_factors/secret`
}
