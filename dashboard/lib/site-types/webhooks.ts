// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type SiteWebhookEndpointHealth = {
  endpointId: string
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** Since when nothing but failures came back. */ failingSince: string | null
  /** Deliveries that wait or are under way. */ waiting: number
  /** Whether more wait than are counted. */ waitingIsMore: boolean
  /** Of the 50 newest deliveries, as the next two. */ pending: number
  delivered: number
  discarded: number
}

export type SiteWebhookEndpointHealthPage = {
  items: Array<SiteWebhookEndpointHealth>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SiteWebhookEndpointRead = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** The signing secret, `whsec_…` (Standard Webhooks). */ secret?: string
}

export type SiteWebhookEndpointWithSecret = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
  /** Why the system switched it off, if it did. */ disabledReason: 'gone' | 'failing' | null
  /** The signing secret, `whsec_…` (Standard Webhooks). */ secret: string
}

export type WebhookDelivery = {
  id: string
  /** The webhook-id header of every attempt. */ webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */ state: 'pending' | 'delivered' | 'discarded'
  /** Attempts that have ended. */ attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */ lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
}

export type WebhookDeliveryDetail = {
  id: string
  /** The webhook-id header of every attempt. */ webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */ state: 'pending' | 'delivered' | 'discarded'
  /** Attempts that have ended. */ attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */ lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
  /** The bytes that every attempt signs and sends. */ body: string
  attemptLog: Array<{
    attempt: number
    /** lost: our process ended before the answer was recorded; the receiver may have it. */ outcome: 'delivered' | 'failed' | 'refused' | 'lost'
    status: number | null
    error: string | null
    durationMs: number | null
    /** Beginning of the answer, at most 4 KiB. */ response: string | null
    startedAt: string
  }>
}

export type WebhookDeliveryList = {
  items: Array<WebhookDelivery>
  /** Absent on the last page. */ nextCursor?: string
}

export type WebhookEndpoint = {
  id: string
  url: string
  /** Event names to receive; empty means all. */ eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */ enabled: boolean
  createdAt: string
  updatedAt: string
}

export type WebhookEndpointBody = {
  /** Absolute http or https address. */ url: string
  eventTypes?: Array<string>
  enabled?: boolean
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */ secret?: string
}

export type WebhookEndpointChange = {
  /** Absolute http or https address. */ url?: string
  eventTypes?: Array<string>
  enabled?: boolean
}

export type WebhookEndpointPage = {
  items: Array<WebhookEndpoint>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type WebhookRecoverBody = {
  since: string
}

export type WebhookRotateBody = {
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */ secret?: string
}

export type WebhooksOperations = {
  'DELETE /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /webhooks': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: WebhookEndpointPage
  }
  'GET /webhooks/health': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: SiteWebhookEndpointHealthPage
  }
  'GET /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SiteWebhookEndpointRead
  }
  'GET /webhooks/{id}/deliveries': {
    params: { id: string }
    query: {
  state?: 'pending' | 'delivered' | 'discarded'
  eventType?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: WebhookDeliveryList
  }
  'GET /webhooks/{id}/deliveries/{deliveryId}': {
    params: { id: string; deliveryId: string }
    query: undefined
    body: undefined
    answer: WebhookDeliveryDetail
  }
  'PATCH /webhooks/{id}': {
    params: { id: string }
    query: undefined
    body: WebhookEndpointChange
    answer: WebhookEndpoint
  }
  'POST /webhooks': {
    params: undefined
    query: undefined
    body: WebhookEndpointBody
    answer: WebhookEndpoint
  }
  'POST /webhooks/{id}/deliveries/{deliveryId}/resend': {
    params: { id: string; deliveryId: string }
    query: undefined
    body: undefined
    answer: WebhookDelivery
  }
  'POST /webhooks/{id}/recover': {
    params: { id: string }
    query: undefined
    body: WebhookRecoverBody
    answer: WebhookEndpoint
  }
  'POST /webhooks/{id}/rotate-secret': {
    params: { id: string }
    query: undefined
    body: WebhookRotateBody
    answer: SiteWebhookEndpointWithSecret
  }
  'POST /webhooks/{id}/test': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: WebhookDelivery
  }
}
