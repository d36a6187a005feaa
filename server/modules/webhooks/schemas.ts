import { type Static, Type } from 'typebox'
import { answer, closed, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const EVENT_TYPES_MAX = 200

/** Interface specification, Webhook endpoint. The signing secret is never part of it. */
export const Endpoint = answer('WebhookEndpoint', {
  id: Id,
  url: Type.String({ examples: ['https://example.com/hooks/postroom'] }),
  eventTypes: Type.Array(Type.String(), { description: 'Event names to receive; empty means all.' }),
  enabled: Type.Boolean({ description: 'false pauses the endpoint without deleting it.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** An endpoint with the facts that the dashboard shows besides. */
export const SiteEndpoint = answer('SiteWebhookEndpoint', {
  ...Endpoint.properties,
  disabledReason: nullable(oneOf(['gone', 'failing'], { description: 'Why the system switched it off, if it did.' })),
})

const secret = Type.String({ description: 'The signing secret, `whsec_…` (Standard Webhooks).' })

export const SiteEndpointWithSecret = answer('SiteWebhookEndpointWithSecret', { ...SiteEndpoint.properties, secret })

/** The secret is there for those who may change endpoints. */
export const SiteEndpointRead = answer('SiteWebhookEndpointRead', {
  ...SiteEndpoint.properties,
  secret: Type.Optional(secret),
})

/** How an endpoint fares, without a walk of its log. */
export const SiteEndpointHealth = answer('SiteWebhookEndpointHealth', {
  endpointId: Id,
  enabled: Endpoint.properties.enabled,
  disabledReason: SiteEndpoint.properties.disabledReason,
  failingSince: nullable(
    Type.String({ format: 'date-time', description: 'Since when nothing but failures came back.' }),
  ),
  waiting: Type.Integer({ description: 'Deliveries that wait or are under way.' }),
  waitingIsMore: Type.Boolean({ description: 'Whether more wait than are counted.' }),
  pending: Type.Integer({ description: 'Of the 50 newest deliveries, as the next two.' }),
  delivered: Type.Integer(),
  discarded: Type.Integer(),
})

const fields = {
  url: Type.String({ minLength: 1, maxLength: 2_048, description: 'Absolute http or https address.' }),
  eventTypes: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: EVENT_TYPES_MAX }),
  enabled: Type.Boolean(),
  secret: Type.String({
    maxLength: 200,
    description:
      'A signing secret of your own making, `whsec_` and base64 of 24 to 64 random bytes, for programs that set an ' +
      'endpoint up. Write-only. Without it one is made, which the dashboard shows.',
  }),
}

export const EndpointBody = closed(
  'WebhookEndpointBody',
  {
    url: fields.url,
    eventTypes: Type.Optional(fields.eventTypes),
    enabled: Type.Optional(fields.enabled),
    secret: Type.Optional(fields.secret),
  },
  { examples: [{ url: 'https://example.com/hooks/postroom', eventTypes: ['order.paid'] }] },
)
export type EndpointBody = Static<typeof EndpointBody>

/** With no body at all a secret is made. */
export const RotateBody = mayBeAbsent(
  closed('WebhookRotateBody', { secret: Type.Optional(fields.secret) }, { examples: [{}] }),
)

export const EndpointChange = closed(
  'WebhookEndpointChange',
  {
    url: Type.Optional(fields.url),
    eventTypes: Type.Optional(fields.eventTypes),
    enabled: Type.Optional(fields.enabled),
  },
  { examples: [{ eventTypes: ['order.paid', 'contact.created'] }] },
)
export type EndpointChange = Static<typeof EndpointChange>

export const DELIVERY_STATES = ['pending', 'delivered', 'discarded'] as const

export const Delivery = answer('WebhookDelivery', {
  id: Id,
  webhookId: Type.String({ description: 'The webhook-id header of every attempt.', examples: ['dlv_42'] }),
  endpointId: Id,
  eventId: Id,
  eventType: Type.String(),
  state: oneOf(DELIVERY_STATES, { description: 'discarded: all attempts failed.' }),
  attempts: Type.Integer({ description: 'Attempts that have ended.' }),
  nextAttemptAt: nullable(Timestamp),
  lastStatus: nullable(Type.Integer({ description: 'HTTP status of the last answer.' })),
  lastError: nullable(Type.String()),
  createdAt: Timestamp,
  finishedAt: nullable(Timestamp),
})

export const DeliveryDetail = answer('WebhookDeliveryDetail', {
  ...Delivery.properties,
  body: Type.String({ description: 'The bytes that every attempt signs and sends.' }),
  attemptLog: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      outcome: oneOf(['delivered', 'failed', 'refused', 'lost'], {
        description: 'lost: our process ended before the answer was recorded; the receiver may have it.',
      }),
      status: nullable(Type.Integer()),
      error: nullable(Type.String()),
      durationMs: nullable(Type.Integer()),
      response: nullable(Type.String({ description: 'Beginning of the answer, at most 4 KiB.' })),
      startedAt: Timestamp,
    }),
  ),
})

export const DeliveryList = answer('WebhookDeliveryList', {
  items: Type.Array(Delivery),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

export const RecoverBody = closed(
  'WebhookRecoverBody',
  { since: Timestamp },
  { examples: [{ since: '2026-11-20T00:00:00Z' }] },
)
