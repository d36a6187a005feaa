import type pg from 'pg'
import { badCursor } from '../../catalogue/problems.ts'
import type { BROWSER_SOURCES, Proof } from '../../catalogue/proofs.ts'
import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { cursorsOf } from '../../platform/schema/paging.ts'
import { readContact } from '../contacts/read-contact.ts'

const cursors = cursorsOf('timeline', [/^[0-9]{1,19}$/])

/** A stored event as the database gives it; data as JSON text, so that no number loses digits. */
type EventRow = {
  id: string
  type: string
  name: string
  subjectId: string | null
  email: string | null
  phone: string | null
  visitorId: string | null
  source: (typeof BROWSER_SOURCES)[number] | null
  proof: Proof | null
  data: string
  occurredAt: string
  recordedAt: string
}

type TimelineSearch = {
  contactId: string
  action?: string | undefined
  /** RFC 3339: occurred at or after, strictly before. */
  from?: string | undefined
  to?: string | undefined
  /** Strictly older than this event. */
  beforeId?: string | undefined
  limit: number
}

export type TimelinePage = Omit<TimelineSearch, 'beforeId'> & { cursor?: string | undefined }

/** A page of a contact's events, newest first; `nextCursor` only when there is more. Throws 404, and 400 for a bad cursor. */
export async function readTimeline(sql: pg.Pool, workspaceId: string, page: TimelinePage) {
  const { cursor, ...search } = page
  const beforeId = cursor === undefined ? undefined : cursors.decode(cursor)?.[0]
  if (cursor !== undefined && beforeId === undefined) throw badCursor()
  // One more than asked for tells whether there is a next page.
  const statement = timelineOfStatement(workspaceId, { ...search, beforeId, limit: page.limit + 1 })
  const [, rows] = await Promise.all([
    readContact(sql, workspaceId, page.contactId),
    queryInScope(sql, workspaceId, statement),
  ])
  const items = rows.slice(0, page.limit).map(timelineEventOf)
  const last = rows.length > page.limit ? items.at(-1) : undefined
  return { items, ...(last ? { nextCursor: cursors.encode([last.id]) } : {}) }
}

function timelineEventOf({ name, data, ...row }: EventRow) {
  return { ...row, action: name, properties: parseExactJson(data) as Record<string, unknown> }
}

type Tables = {
  events: {
    workspace_id: string
    id: string
    contact_id: string
    type: string
    name: string
    subject_id: string | null
    email: string | null
    phone: string | null
    visitor_id: string | null
    source: (typeof BROWSER_SOURCES)[number] | null
    proof: Proof | null
    data: string
    occurred_at: string
    recorded_at: string
  }
}
const build = createQueryBuilder<Tables>()

/**
 * Events of a contact, newest first. Walks `events_by_contact` of each partition backwards from the cursor, so that the
 * thousandth page costs what the first does (read-timeline.test.ts holds the plan to it).
 */
export function timelineOfStatement(workspaceId: string, search: TimelineSearch): Statement<EventRow> {
  const { contactId, action, from, to, beforeId, limit } = search
  let query = build
    .selectFrom('events')
    .select(['id', 'type', 'name', 'subject_id as subjectId', 'email', 'phone', 'data'])
    .select(['visitor_id as visitorId', 'source', 'proof'])
    .select(['occurred_at as occurredAt', 'recorded_at as recordedAt'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
  if (action !== undefined) query = query.where('name', '=', action)
  if (from !== undefined) query = query.where('occurred_at', '>=', from)
  if (to !== undefined) query = query.where('occurred_at', '<', to)
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  return statementOf(query.orderBy('id', 'desc').limit(limit))
}
