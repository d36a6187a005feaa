import type pg from 'pg'
import { badCursor, notFound, overloaded, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { cursorsOf } from '../../platform/schema/paging.ts'
import { type FoundMail, findMails, markRead } from './mail-queries.ts'
import type { MailFilterQuery } from './mailbox-schemas.ts'
import { type MailOpener, readMail } from './read-mail.ts'

/** How soon somebody who waits for a mail hears of it. */
const LOOK_EVERY_MS = 150
const BUSY_SECONDS = 5

const cursors = cursorsOf('mailbox', [/^[0-9]{1,19}$/])

export type MailDeps = { sql: pg.Pool; opener: MailOpener }

/** Mail that was caught, newest first. Throws 400 for a bad cursor. */
export async function searchMails(
  { sql }: Pick<MailDeps, 'sql'>,
  workspaceId: string,
  { cursor, limit, ...filter }: MailFilterQuery & { cursor?: string; limit: number },
): Promise<{ items: FoundMail[]; nextCursor?: string }> {
  const rows = await findMails(sql, workspaceId, { ...filter, before: keyOf(cursor), limit: limit + 1 })
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, ...(last ? { nextCursor: cursors.encode([last.id]) } : {}) }
}

/** A mail as its receiver reads it; from now on it is read. Throws 404, 422 for one that nobody can take apart. */
export async function openCaughtMail(deps: MailDeps, workspaceId: string, id: string) {
  const found = await readMail(deps, { workspaceId, id }, 'whole')
  if (found === undefined) throw notFound()
  const { mail, result } = found
  if (result.outcome === 'busy') throw overloaded(BUSY_SECONDS)
  if (result.outcome !== 'whole') throw unprocessable([{ pointer: '', detail: 'nobody can take this mail apart' }])
  const readAt = await inTransaction(deps.sql, workspaceId, (tx) => markRead(tx, workspaceId, id))
  const { raw: _, fromText: __, toText: ___, bytes, ...listed } = mail
  return { ...listed, readAt, sizeBytes: bytes, ...result.whole }
}

/** The newest mail that fits, as soon as there is one; undefined when the time is over or the caller has gone. */
export async function waitForMail(
  { sql }: Pick<MailDeps, 'sql'>,
  workspaceId: string,
  { after, timeoutMs, signal, ...filter }: MailFilterQuery & { after?: string; timeoutMs: number; signal: AbortSignal },
): Promise<FoundMail | undefined> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const [mail] = await findMails(sql, workspaceId, { ...filter, after, limit: 1 })
    if (mail !== undefined || signal.aborted || performance.now() + LOOK_EVERY_MS > until) return mail
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

function keyOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const [id] = cursors.decode(cursor) ?? []
  if (id === undefined) throw badCursor()
  return id
}
