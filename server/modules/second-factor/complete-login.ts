import { loginExpired, wrongCode } from '../../catalogue/problems.ts'
import { oneTimeTokenHash } from '../../platform/crypto/one-time-token.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { countAttempt, forgetAttempts } from '../auth/limit-attempts.ts'
import { type ClientOrigin, signIn } from '../auth/log-in.ts'
import { closeTicketsOf, countTicketTry, isLive, ticketUser } from '../auth/login-tickets.ts'
import { lockPerson, recordAccountAudit, type User } from '../auth/people.ts'
import type { FactorDeps } from './manage-factor.ts'
import { requireOneCode, type ShownCode, takeCode } from './take-code.ts'

export type SecondStep = ShownCode & { ticket: string; origin: ClientOrigin; presented: Buffer | undefined }

/**
 * The second step of a login: opens the session when the code is right. Throws 401 `wrong-code` for one that is wrong or
 * was used, 401 `login-expired` when the ticket is over, 429 while account or address have to wait.
 */
export async function completeLogin(deps: FactorDeps, input: SecondStep): Promise<{ user: User; sessionId: string }> {
  requireOneCode(input)
  const { origin } = input
  const ticket = oneTimeTokenHash(input.ticket)
  const user = await ticketUser(deps.sql, ticket)
  if (user === undefined) throw loginExpired()
  const attempt = { what: 'code', account: user.id, ip: origin.ip } as const
  await countAttempt(deps.sql, attempt)
  const end = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockPerson(tx, user.id)
    if (!(await isLive(tx, ticket))) return 'expired'
    const taken = await takeCode(tx, deps.secrets, { ...input, userId: user.id })
    if (taken === undefined) {
      await countTicketTry(tx, ticket)
      await recordAccountAudit(tx, user, { ...origin, action: 'user.second_factor_failed' })
      return 'wrong'
    }
    if (taken === 'recovery_code') {
      await recordAccountAudit(tx, user, { ...origin, action: 'user.recovery_code_use' })
    }
    await closeTicketsOf(tx, user.id)
    return { sessionId: await signIn(tx, user, input) }
  })
  if (end === 'expired') throw loginExpired()
  if (end === 'wrong') throw wrongCode()
  await forgetAttempts(deps.sql, attempt)
  return { user, sessionId: end.sessionId }
}
