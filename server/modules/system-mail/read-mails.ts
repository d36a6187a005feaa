import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { latestMails, type MailRow, mailById } from './queries.ts'
import type { RenderedMail } from './render-mail.ts'
import { mailRow } from './system-mailer.ts'

export type ListedMail = Omit<MailRow, 'content'>

/** The latest mails of the system, newest first, without what they say. */
export async function listMails(pool: pg.Pool, limit: number): Promise<ListedMail[]> {
  return (await latestMails(pool, limit)).map(({ content: _, ...mail }) => mail)
}

/** A mail with what it says, unless that is gone because it was sent; undefined when there is none. */
export async function readMail(
  deps: { pool: pg.Pool; secrets: SecretBox },
  id: string,
): Promise<{ mail: ListedMail; content: RenderedMail | undefined } | undefined> {
  const row = await mailById(deps.pool, id)
  if (row === undefined) return undefined
  const { content, ...mail } = row
  const opened = content === null ? undefined : deps.secrets.open(content, mailRow(id))
  return { mail, content: opened === undefined ? undefined : (JSON.parse(opened) as RenderedMail) }
}
