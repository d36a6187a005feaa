import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import type { Statement } from '../../platform/db/statement.ts'

/** A stored event as the database gives it; data as JSON text, so that no number loses digits. */
export type EventRow = {
  id: string
  type: string
  name: string
  subjectId: string | null
  email: string | null
  phone: string | null
  data: string
  occurredAt: string
  recordedAt: string
}

export type TimelineSearch = {
  contactId: string
  action?: string | undefined
  /** RFC 3339: occurred at or after, strictly before. */
  from?: string | undefined
  to?: string | undefined
  /** Strictly older than this event. */
  beforeId?: string | undefined
  limit: number
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
    .select(['occurred_at as occurredAt', 'recorded_at as recordedAt'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
  if (action !== undefined) query = query.where('name', '=', action)
  if (from !== undefined) query = query.where('occurred_at', '>=', from)
  if (to !== undefined) query = query.where('occurred_at', '<', to)
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  return statementOf(query.orderBy('id', 'desc').limit(limit))
}
