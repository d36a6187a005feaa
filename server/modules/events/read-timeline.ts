import type pg from 'pg'
import { badCursor } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { decodeCursor, encodeCursor } from '../../platform/schema/paging.ts'
import { readContact } from '../contacts/read-contact.ts'
import { type EventRow, type TimelineSearch, timelineOfStatement } from './timeline-queries.ts'

const CURSOR_PARTS = [/^[0-9]{1,19}$/]

export type TimelinePage = Omit<TimelineSearch, 'beforeId'> & { cursor?: string | undefined }

/** A page of a contact's events, newest first; `nextCursor` only when there is more. Throws 404, and 400 for a bad cursor. */
export async function readTimeline(sql: pg.Pool, workspaceId: string, page: TimelinePage) {
  const { cursor, ...search } = page
  const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, CURSOR_PARTS)?.[0]
  if (cursor !== undefined && beforeId === undefined) throw badCursor()
  // One more than asked for tells whether there is a next page.
  const statement = timelineOfStatement(workspaceId, { ...search, beforeId, limit: page.limit + 1 })
  const [, rows] = await Promise.all([
    readContact(sql, workspaceId, page.contactId),
    queryInScope(sql, workspaceId, statement),
  ])
  const items = rows.slice(0, page.limit).map(timelineEventOf)
  const last = rows.length > page.limit ? items.at(-1) : undefined
  return { items, ...(last ? { nextCursor: encodeCursor([last.id]) } : {}) }
}

function timelineEventOf({ name, data, ...row }: EventRow) {
  return { ...row, action: name, properties: parseExactJson(data) as Record<string, unknown> }
}
