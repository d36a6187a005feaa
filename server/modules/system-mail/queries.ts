import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Queryable } from '../../platform/db/transaction.ts'

export type MailState = 'waiting' | 'sent' | 'kept' | 'failed'

export type MailRow = {
  id: string
  kind: string
  recipient: string
  subject: string
  /** Sealed; null once it was sent or given up. */
  content: string | null
  messageId: string
  state: MailState
  attempts: number
  error: string | null
  deliverBefore: string
  createdAt: string
}

const MAIL = `id, kind, recipient, subject, content, message_id as "messageId", state, attempts, error,
  deliver_before as "deliverBefore", created_at as "createdAt"`

/** Drawn before the row exists, because the content is sealed to it. */
export async function newMailId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(`select nextval(pg_get_serial_sequence('system_mails', 'id')) as id`)
  return rows[0]!.id
}

export type NewMail = Pick<MailRow, 'id' | 'kind' | 'recipient' | 'subject' | 'messageId' | 'state'> & {
  content: string
  lifeSeconds: number
}

export async function insertMail(tx: Queryable, mail: NewMail): Promise<void> {
  await tx.query({
    name: 'insert-system-mail',
    text: `insert into system_mails (id, kind, recipient, subject, content, message_id, state, deliver_before, settled_at)
           overriding system value
           values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), case when $7 = 'kept' then now() end)`,
    values: [
      mail.id,
      mail.kind,
      mail.recipient,
      mail.subject,
      mail.content,
      mail.messageId,
      mail.state,
      mail.lifeSeconds,
    ],
  })
}

/** Counts an attempt before it is made; undefined for a mail that is no longer to be sent. */
export async function beginAttempt(pool: pg.Pool, id: string): Promise<(MailRow & { isOver: boolean }) | undefined> {
  const { rows } = await pool.query<MailRow & { isOver: boolean }>({
    name: 'begin-system-mail-attempt',
    text: `update system_mails set attempts = attempts + 1 where id = $1 and state = 'waiting'
           returning ${MAIL}, deliver_before <= now() as "isOver"`,
    values: [id],
  })
  return rows[0]
}

/** Notes how an attempt ended that leaves the mail waiting. */
export async function noteFailure(pool: pg.Pool, id: string, error: string): Promise<void> {
  await pool.query({
    name: 'note-system-mail-failure',
    text: `update system_mails set error = $2 where id = $1 and state = 'waiting'`,
    values: [id, error],
  })
}

/** Ends a mail. Its words go with it, unless the operator is to read it. */
export async function settleMail(pool: pg.Pool, id: string, end: { state: MailState; error: string | null }) {
  await pool.query({
    name: 'settle-system-mail',
    text: `update system_mails set state = $2, error = coalesce($3, error), settled_at = now(),
             content = case when $2 = 'kept' then content end
           where id = $1 and state = 'waiting'`,
    values: [id, end.state, end.error],
  })
}

export async function deleteOldMails(pool: pg.Pool, days: number): Promise<void> {
  const where = 'created_at < now() - make_interval(days => $1)'
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'system_mails', where, values: [days] })
}

/** Newest first. */
export async function latestMails(pool: pg.Pool, limit: number): Promise<MailRow[]> {
  const { rows } = await pool.query<MailRow>(`select ${MAIL} from system_mails order by id desc limit $1`, [limit])
  return rows
}

export async function mailById(pool: pg.Pool, id: string): Promise<MailRow | undefined> {
  const { rows } = await pool.query<MailRow>(`select ${MAIL} from system_mails where id = $1`, [id])
  return rows[0]
}
