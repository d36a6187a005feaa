import type pg from 'pg'
import { badCursor, notFound } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { cursorsOf } from '../../platform/schema/paging.ts'
import { hitsOfMessages } from '../tracking/message-hits.ts'
import { attemptsOfStatement, emailByIdStatement, emailsOfStatement, reportsOfStatement } from './email-queries.ts'
import type { EmailStatus } from './schemas.ts'
import { timelineOf } from './timeline.ts'

/** Messages that one page looks at for those of a status, however rare it is. */
const LOOKED_AT_MAX = 1_000
const ATTEMPTS_SHOWN_MAX = 200
const REPORTS_SHOWN_MAX = 50

const cursors = cursorsOf('emails', [/^[0-9]{1,19}$/])

export type EmailListQuery = {
  destination?: string | undefined
  contactId?: string | undefined
  status?: EmailStatus | undefined
  cursor?: string | undefined
  limit: number
}

/**
 * A page of single messages, newest first. With a status a page may hold fewer than asked for, and still have a next
 * one: what it looks at is bounded. Throws 400 for a bad cursor.
 */
export async function listEmails(deps: { sql: pg.Pool }, workspaceId: string, query: EmailListQuery) {
  const { cursor, limit, status, destination, contactId } = query
  const beforeId = keyOf(cursor)
  const looked = status === undefined ? limit + 1 : LOOKED_AT_MAX
  const search = { workspaceId, destination: addressIn(destination), contactId, beforeId, limit: looked }
  const rows = await queryInScope(deps.sql, workspaceId, emailsOfStatement(search))
  const fitting = status === undefined ? rows : rows.filter((row) => row.status === status)
  const items = fitting.slice(0, limit)
  const last = fitting.length > limit ? items.at(-1) : rows.length === looked ? rows.at(-1) : undefined
  return { items, ...(last ? { nextCursor: cursors.encode([last.id]) } : {}) }
}

/** As it is stored; what is no address is one that nothing was sent to. */
export function addressIn(destination: string | undefined): string | undefined {
  return destination === undefined ? undefined : (normaliseEmail(destination) ?? destination)
}

function keyOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const [id] = cursors.decode(cursor) ?? []
  if (id === undefined) throw badCursor()
  return id
}

/** A message of any surface with what it says and all that happened to it. Throws 404. */
export function readEmail(deps: { sql: pg.Pool }, workspaceId: string, id: string) {
  return inTransaction(deps.sql, workspaceId, (tx) => emailWithin(tx, workspaceId, id))
}

/** The same as a transaction sees it, with what that has changed itself. */
export async function emailWithin(tx: Transaction, workspaceId: string, id: string) {
  const [row, attempts, hits, reports] = await Promise.all([
    tx.query(emailByIdStatement(workspaceId, id)).then(({ rows }) => rows[0]),
    tx.query(attemptsOfStatement(workspaceId, id, ATTEMPTS_SHOWN_MAX)).then(({ rows }) => rows),
    hitsOfMessages(tx, workspaceId, [id]),
    tx.query(reportsOfStatement(workspaceId, id, REPORTS_SHOWN_MAX)).then(({ rows }) => rows),
  ])
  if (!row) throw notFound()
  const list = (json: string | null) => JSON.parse(json ?? '[]')
  return {
    ...row,
    furtherTo: list(row.furtherTo),
    metadata: row.metadata === null ? null : (parseExactJson(row.metadata) as Record<string, unknown>),
    cc: list(row.cc),
    bcc: list(row.bcc),
    replyTo: list(row.replyTo),
    headers: list(row.headers).map(([name, value]: [string, string]) => ({ name, value })),
    attachments: list(row.attachments),
    timeline: timelineOf({ message: row, attempts, hits, reports }),
  }
}
