import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { invalid } from '../../catalogue/problems.ts'
import { makeOneTimeToken } from '../../platform/crypto/one-time-token.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { accountByEmail } from '../auth/accounts.ts'
import { countAttempt } from '../auth/limit-attempts.ts'
import type { ClientOrigin } from '../auth/log-in.ts'
import type { User } from '../auth/people.ts'
import type { SystemMail, SystemMailer } from '../system-mail/system-mailer.ts'
import { deleteReset, insertResetRequest, issueReset, lockResetRequest } from './queries.ts'

/** How long a link is good, and its mail is tried. */
const RESET_MINUTES = 60
export const RESET_SECONDS = RESET_MINUTES * 60
/** The page of the dashboard that the link opens. */
export const RESET_PAGE = 'reset-password'
export const OPEN_PASSWORD_RESET = jobKind<{ resetId: string }>({ kind: 'open_password_reset', queue: 'default' })

export type ResetDeps = { sql: pg.Pool; mailer: SystemMailer }

/**
 * Notes that somebody wants a new password. Whether the address has an account is looked up by the job: the answer's words
 * and its time are the same either way. 400 for what is no address, 429 while account or address have to wait.
 */
export async function requestPasswordReset(
  deps: ResetDeps,
  input: { email: string; origin: ClientOrigin },
): Promise<void> {
  const { origin } = input
  const email = normaliseEmail(input.email)
  if (email === undefined) throw invalid([{ pointer: '/email', detail: 'is not an email address' }])
  await countAttempt(deps.sql, { what: 'reset', account: email, ip: origin.ip })
  const id = randomUUID()
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await insertResetRequest(tx, { id, email, origin, lifeSeconds: RESET_SECONDS })
    await enqueue(tx, OPEN_PASSWORD_RESET, { resetId: id })
  })
}

/** The job: mails a link where there is an account, and forgets the request where there is none. */
export async function openPasswordReset(deps: ResetDeps, resetId: string): Promise<void> {
  await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    const request = await lockResetRequest(tx, resetId)
    if (request === undefined) return
    const user = await accountByEmail(tx, request.email)
    if (user === undefined) return deleteReset(tx, resetId)
    const url = await linkFor(deps, tx, { resetId, user })
    await deps.mailer.queue(tx, resetMail(user, url))
  })
}

/** The address under which a person sets a new password, once. It is nowhere else. */
export async function linkFor(
  { mailer }: ResetDeps,
  tx: Transaction,
  { resetId, user }: { resetId: string; user: User },
): Promise<string> {
  const { token, hash } = makeOneTimeToken()
  await issueReset(tx, { id: resetId, userId: user.id, tokenHash: hash, lifeSeconds: RESET_SECONDS })
  return mailer.pageUrl(RESET_PAGE, token)
}

function resetMail(user: User, url: string): SystemMail {
  return {
    kind: 'password_reset',
    recipient: user.email,
    lifeSeconds: RESET_SECONDS,
    content: {
      subject: 'Set a new password',
      paragraphs: [`Hello ${user.name},`, 'somebody asked for a new password for your account.'],
      link: { label: 'Set a new password', url },
      closing: [
        `The link works once, for ${RESET_MINUTES} minutes.`,
        'If it was not you who asked, leave this mail: your password stays as it is.',
      ],
    },
  }
}
