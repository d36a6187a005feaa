// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type Event = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */
  type: string
  /** The name under which it is delivered. */
  action: string
  /** As recorded. */
  subjectId: string | null
  /** As recorded. */
  email: string | null
  /** As recorded. */
  phone: string | null
  /** The browser it is of. */
  visitorId: string | null
  /** Where it came in; null: by the API, or from the system. */
  source: Open<'collect' | 'form'> | null
  /** How well it is proven who it was; null where a server has said it. */
  proof: Open<'none' | 'claimed' | 'link' | 'confirmed' | 'signed'> | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
  /** The contact that was known then; null without one. */
  contactId: string | null
}

export type EventAction = {
  action: string
  /** To the minute. */
  lastSeenAt: string
  /** The `properties` of one of the last; null when it was erased or has left by age. */
  sample: Record<string, unknown> | null
}

export type EventActionPage = {
  items: Array<EventAction>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type EventBatchBody = {
  events: Array<RecordedEvent>
}

export type EventBatchResults = {
  /** One for each item, in their order. */
  results: Array<{
    /** Position in the request, from 0. */
    index: number
    /** accepted: the event is durable. failed: it was not recorded. */
    status: Open<'accepted' | 'failed'>
    /** The fault of a failed item, beginning with the field concerned. */
    error?: string
  }>
}

export type EventList = {
  items: Array<Event>
  /** Absent on the last page. */
  nextCursor?: string
}

export type EventsBody = {
  events: Array<RecordedEvent>
}

export type RecordedEvent = {
  /** Your own id of the event, at most 64 characters: a repeat of it records nothing. */
  id?: string | null
  /** The name under which the event is delivered. Names of the system itself (contact.…, email.…) are refused. */
  action: string
  /** Your id of the person. One of subjectId, email, phone is required. */
  subjectId?: string | null
  /** Address of the person. */
  email?: string | null
  /** Phone number of the person. */
  phone?: string | null
  /** Anything you want to keep with it; at most 32 KiB as JSON. */
  properties?: Record<string, unknown> | null
  occurredAt?: string | null
}

export interface EventsOperations {
  /** Record events. Records up to 1000 events, all of them or none. 204 means that they are durable: they are stored, enroll contacts in automations and go out to webhook endpoints under their own action. An event is attached to the contact it names (by subjectId, then email, then phone); it never creates one. Needs the scope `events:write`. */
  create(body: EventsBody, options?: PostOptions): Promise<void>

  /** Record events one by one. Records those of up to 1000 items that are events and answers what became of each. Items answered as accepted are durable; a failed one is not recorded and does not hold up the others. Needs the scope `events:write`. */
  createBatch(body: EventBatchBody, options?: PostOptions): Promise<EventBatchResults>

  /** List events. Everything that was recorded, newest first by when that was: what callers recorded and what the system did (`contact.…`, `email.…`). An event appears a moment after it was recorded. With `action` or `source` a page may hold fewer than `limit` and still have a next one: it looks at 20,000 events at most. Needs the scope `events:read`. */
  list(query?: {
    /** Only events of this name. */
    action?: string
    /** Only what browsers told: pages (collect), or forms (form). */
    source?: 'collect' | 'form'
    /** Only events recorded at or after it. */
    from?: string
    /** Only events recorded before it. */
    to?: string
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<EventList>

  /** List the names of events. Every name that was recorded, by name, with when it was last seen and what an event of it said. Needs the scope `events:read`. */
  listActions(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only names that contain this text. */
    search?: string
  }, options?: Options): List<EventActionPage>
}
