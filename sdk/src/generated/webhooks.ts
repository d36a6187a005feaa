// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type WebhookDelivery = {
  id: string
  /** The webhook-id header of every attempt. */
  webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */
  state: Open<'pending' | 'delivered' | 'discarded'>
  /** Attempts that have ended. */
  attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */
  lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
}

export type WebhookDeliveryDetail = {
  id: string
  /** The webhook-id header of every attempt. */
  webhookId: string
  endpointId: string
  eventId: string
  eventType: string
  /** discarded: all attempts failed. */
  state: Open<'pending' | 'delivered' | 'discarded'>
  /** Attempts that have ended. */
  attempts: number
  nextAttemptAt: string | null
  /** HTTP status of the last answer. */
  lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
  /** The bytes that every attempt signs and sends. */
  body: string
  attemptLog: Array<{
    attempt: number
    /** lost: our process ended before the answer was recorded; the receiver may have it. */
    outcome: Open<'delivered' | 'failed' | 'refused' | 'lost'>
    status: number | null
    error: string | null
    durationMs: number | null
    /** Beginning of the answer, at most 4 KiB. */
    response: string | null
    startedAt: string
  }>
}

export type WebhookDeliveryList = {
  items: Array<WebhookDelivery>
  /** Absent on the last page. */
  nextCursor?: string
}

export type WebhookEndpoint = {
  id: string
  url: string
  /** Event names to receive; empty means all. */
  eventTypes: Array<string>
  /** false pauses the endpoint without deleting it. */
  enabled: boolean
  createdAt: string
  updatedAt: string
}

export type WebhookEndpointBody = {
  /** Absolute http or https address. */
  url: string
  eventTypes?: Array<string>
  enabled?: boolean
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */
  secret?: string
}

export type WebhookEndpointChange = {
  /** Absolute http or https address. */
  url?: string
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
  /** A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an endpoint up. Write-only. Without it one is made, which the dashboard shows. */
  secret?: string
}

export interface WebhooksOperations {
  /** Create a webhook endpoint. Events are sent to the URL as POST requests signed by Standard Webhooks. The signing secret is of your own making, or shown in the dashboard only. Hosts that are or resolve to private, loopback, link-local or metadata addresses are refused. Needs the scope `webhooks:write`. */
  create(body: WebhookEndpointBody, options?: PostOptions): Promise<Tagged<WebhookEndpoint>>

  /** Delete a webhook endpoint. Deliveries that still wait for it are dropped. One that a step of an automation calls is not deleted. Needs the scope `webhooks:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a webhook endpoint. Needs the scope `webhooks:read`. */
  get(id: string, options?: Options): Promise<Tagged<WebhookEndpoint>>

  /** Read a delivery. With its body and the log of its attempts. Needs the scope `webhooks:read`. */
  getDelivery(id: string, deliveryId: string, options?: Options): Promise<WebhookDeliveryDetail>

  /** List webhook endpoints. Needs the scope `webhooks:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<WebhookEndpointPage>

  /** List deliveries. The delivery log of an endpoint, newest first. With `state` or `eventType` a page may hold fewer than `limit` and still have a next one: it looks at 20,000 deliveries at most. Needs the scope `webhooks:read`. */
  listDeliveries(id: string, query?: {
    state?: 'pending' | 'delivered' | 'discarded'
    eventType?: string
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<WebhookDeliveryList>

  /** Recover missed deliveries. Every stored event since the time that did not reach the endpoint is delivered: discarded deliveries again, events missed while it was switched off for the first time. Works in the background. Needs the scope `webhooks:write`. */
  recover(id: string, body: WebhookRecoverBody, options?: PostOptions): Promise<WebhookEndpoint>

  /** Send a delivery again. Under the same webhook-id, at once, with all ten attempts before it. Needs the scope `webhooks:write`. */
  resendDelivery(id: string, deliveryId: string, options?: PostOptions): Promise<WebhookDelivery>

  /** Rotate the signing secret. To one of your own making, or to one that is made and shown in the dashboard only. For 24 hours deliveries carry both signatures. Needs the scope `webhooks:write`. */
  rotateSecret(id: string, body?: WebhookRotateBody, options?: PostOptions): Promise<WebhookEndpoint>

  /** Send a test event. Delivers a `webhook.test` event to this endpoint, whatever its filter. Needs the scope `webhooks:write`. */
  test(id: string, options?: PostOptions): Promise<WebhookDelivery>

  /** Change a webhook endpoint. Absent fields stay. Switched off, pending deliveries wait; switched on, they continue. Needs the scope `webhooks:write`. */
  update(id: string, body: WebhookEndpointChange, options?: GuardedOptions): Promise<Tagged<WebhookEndpoint>>
}
