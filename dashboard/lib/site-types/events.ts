// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Event = {
  id: string
  /** `event.recorded` for what a caller recorded, else the system's own word for what happened. */ type: string
  /** The name under which it is delivered. */ action: string
  /** As recorded. */ subjectId: string | null
  /** As recorded. */ email: string | null
  /** As recorded. */ phone: string | null
  /** The browser it is of. */ visitorId: string | null
  /** Where it came in; null: by the API, or from the system. */ source: 'collect' | 'form' | null
  /** How well it is proven who it was; null where a server has said it. */ proof: 'none' | 'claimed' | 'link' | 'confirmed' | 'signed' | null
  properties: Record<string, unknown>
  occurredAt: string
  recordedAt: string
  /** The contact that was known then; null without one. */ contactId: string | null
}

export type EventAction = {
  action: string
  /** To the minute. */ lastSeenAt: string
  /** The `properties` of one of the last; null when it was erased or has left by age. */ sample: Record<string, unknown> | null
}

export type EventActionPage = {
  items: Array<EventAction>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type EventList = {
  items: Array<Event>
  /** Absent on the last page. */ nextCursor?: string
}

export type EventsOperations = {
  'GET /events': {
    params: undefined
    query: {
  /** Only events of this name. */ action?: string
  /** Only what browsers told: pages (collect), or forms (form). */ source?: 'collect' | 'form'
  /** Only events recorded at or after it. */ from?: string
  /** Only events recorded before it. */ to?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EventList
  }
  'GET /events/actions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only names that contain this text. */ search?: string
}
    body: undefined
    answer: EventActionPage
  }
}
