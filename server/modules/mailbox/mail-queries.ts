import type pg from 'pg'
import { queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'

export type FoundMail = {
  id: string
  receivedAt: string
  readAt: string | null
  subject: string
  mailFrom: string
  recipients: string[]
  sizeBytes: number
}

export type MailSearch = {
  to?: string | undefined
  subject?: string | undefined
  search?: string | undefined
}

/** $2 to $4: only what is given counts. A mailbox has 10,000 mails at most. */
const FITS = `m.workspace_id = $1
  and ($2::text is null or exists (select from unnest(m.recipients) r where lower(r) = lower($2)))
  and ($3::text is null or strpos(lower(m.subject), lower($3)) > 0)
  and ($4::text is null or strpos(
    lower(concat_ws(' ', m.subject, m.from_text, m.to_text, array_to_string(m.recipients, ' '))), lower($4)) > 0)`

/** An address as envelopes have it. */
const valuesOf = (workspaceId: string, { to, subject, search }: MailSearch) => [
  workspaceId,
  to === undefined ? null : (normaliseEmail(to) ?? to),
  subject ?? null,
  search ?? null,
]

/** Newest first; `before` and `after` are ids. */
export function findMails(
  sql: pg.Pool,
  workspaceId: string,
  given: MailSearch & { before?: string | undefined; after?: string | undefined; limit: number },
): Promise<FoundMail[]> {
  const { before, after, limit, ...search } = given
  return queryInScope<FoundMail>(sql, workspaceId, {
    name: 'find_caught_mails',
    text: `select m.id, m.received_at as "receivedAt", m.read_at as "readAt", m.subject, m.mail_from as "mailFrom",
        m.recipients, m.bytes as "sizeBytes"
      from caught_mails m where ${FITS} and ($5::int8 is null or m.id < $5) and ($6::int8 is null or m.id > $6)
      order by m.id desc limit $7`,
    values: [...valuesOf(workspaceId, search), before ?? null, after ?? null, limit],
  })
}

/** Notes that somebody looked at a mail; returns when that was first. */
export async function markRead(tx: Transaction, workspaceId: string, id: string): Promise<string | null> {
  const { rows } = await tx.query<{ readAt: string }>({
    name: 'mark_caught_mail_read',
    text: `update caught_mails set read_at = coalesce(read_at, now()) where workspace_id = $1 and id = $2
      returning read_at as "readAt"`,
    values: [workspaceId, id],
  })
  return rows[0]?.readAt ?? null
}

/** False when there is no such mail. */
export async function deleteMail(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'delete_caught_mail',
    text: 'delete from caught_mails where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
  return rowCount === 1
}

/** The id of the newest mail; null without any. */
export async function newestMail(sql: pg.Pool, workspaceId: string): Promise<string | null> {
  const [row] = await queryInScope<{ id: string | null }>(sql, workspaceId, {
    name: 'newest_caught_mail',
    text: 'select max(id) as id from caught_mails where workspace_id = $1',
    values: [workspaceId],
  })
  return row!.id
}

/** `last`: of those that were found; `found` are more than `deleted` where somebody else was first. */
export type DeletedMails = { deleted: number; found: number; last: string | null }

/** Deletes mails that fit, the next behind `after` up to and with `through`: each by its key, whatever is in the table. */
export async function deleteMails(
  tx: Transaction,
  workspaceId: string,
  { after, through, limit, ...search }: MailSearch & { after: string; through: string; limit: number },
): Promise<DeletedMails> {
  const { rows } = await tx.query<DeletedMails>({
    name: 'delete_caught_mails',
    text: `with found as materialized (
        select m.id from caught_mails m where ${FITS} and m.id > $5 and m.id <= $6 order by m.id limit $7
      ), gone as (
        delete from caught_mails where workspace_id = $1 and id = any (array(select id from found)) returning id
      )
      select (select count(*)::int from gone) as deleted, count(*)::int as found, max(id) as last from found`,
    values: [...valuesOf(workspaceId, search), after, through, limit],
  })
  return rows[0]!
}
