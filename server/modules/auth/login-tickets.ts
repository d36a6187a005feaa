import type pg from 'pg'
import { makeOneTimeToken } from '../../platform/crypto/one-time-token.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'
import type { User } from './people.ts'

/** Between the right password and the right code. */
const TICKET_MINUTES = 10
/** Wrong codes after which the password is asked for again. */
const TICKET_TRIES_MAX = 5

/** Stands for a right password until the second factor is shown: `ticket` is the only copy of it. */
export type LoginTicket = { ticket: string; expiresAt: string }

export async function issueTicket(tx: Transaction, userId: string): Promise<LoginTicket> {
  const { token, hash } = makeOneTimeToken()
  const { rows } = await tx.query<{ expiresAt: string }>(
    `insert into login_tickets (hash, user_id, expires_at) values ($1, $2, now() + make_interval(mins => $3))
     returning expires_at as "expiresAt"`,
    [hash, userId, TICKET_MINUTES],
  )
  return { ticket: token, expiresAt: rows[0]!.expiresAt }
}

const LIVE = `t.hash = $1 and t.expires_at > now() and t.tries < ${TICKET_TRIES_MAX}`

/** The user whose login a ticket is of; undefined when it is over. */
export async function ticketUser(db: Pick<pg.Pool, 'query'>, hash: Buffer): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'login-ticket-user',
    text: `select u.id, u.email, u.name from login_tickets t join users u on u.id = t.user_id where ${LIVE}`,
    values: [hash],
  })
  return rows[0]
}

/** Whether a ticket is still good, once its person is locked against others who use it at the same moment. */
export async function isLive(tx: Transaction, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(`select from login_tickets t where ${LIVE}`, [hash])
  return rowCount === 1
}

export async function countTicketTry(tx: Transaction, hash: Buffer): Promise<void> {
  await tx.query('update login_tickets set tries = tries + 1 where hash = $1', [hash])
}

/** Ends every login of a person that waits for a code: after one of them, and when the password or the factor changes. */
export async function closeTicketsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from login_tickets where user_id = $1', [userId])
}

export async function deleteOldTickets(sql: pg.Pool): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, { from: 'login_tickets', where: 'expires_at < now()' })
}
