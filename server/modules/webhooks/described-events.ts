import { type TSchema, Type } from 'typebox'
import { RECORDED_EVENT } from '../../catalogue/domain-events.ts'
import { answer, Id, Timestamp } from '../../platform/schema/schemas.ts'
import { EVENT_DATA, integerId, RECORDED_EVENT_DATA } from './event-data.ts'

/** Header fields of every delivery (interface specification, Delivery headers). */
const HEADERS = [
  header('webhook-id', 'Unique id of the delivery, the same at every attempt: deduplicate by it.', 'dlv_4711'),
  header('webhook-timestamp', 'Unix seconds when this attempt was signed.', '1795219245'),
  header(
    'webhook-signature',
    'One or more signatures of Standard Webhooks, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header(
    'X-service-Event',
    'Name of the event, for routing before parsing; what is not visible ASCII, and `%`, is percent-encoded.',
    'contact.created',
  ),
]

const ANSWERS = {
  '2XX': { description: 'Acknowledges the delivery.' },
  '410': { description: 'Switches the endpoint off at once.' },
  default: { description: 'A failure, redirects included: tried again, up to ten attempts in all.' },
}

/** Everything that is sent to endpoints, as OpenAPI's `webhooks`: a path item for each event by its name. */
export function describedEvents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries({ ...EVENT_DATA, ...RECORDED_EVENT_DATA }).map(([type, { when }]) => [
      type,
      {
        post: {
          tags: ['Webhooks'],
          summary: type,
          description: when,
          security: [],
          parameters: HEADERS,
          requestBody: { required: true, content: { 'application/json': { schema: deliveryBody(type as EventName) } } },
          responses: ANSWERS,
        },
      },
    ]),
  )
}

type EventName = keyof typeof EVENT_DATA | keyof typeof RECORDED_EVENT_DATA

/** The body of a delivery (interface specification, Delivery body), with the data of its event. */
export function deliveryBody(type: EventName): TSchema {
  const { data, aboutContact } = { ...EVENT_DATA, ...RECORDED_EVENT_DATA }[type]
  const name = type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
  const contactId = integerId(7)
  return answer(`${name}Delivery`, {
    id: Type.String({ ...Id, description: 'Of the event, the same at all endpoints.', examples: ['90071'] }),
    type:
      type === RECORDED_EVENT
        ? Type.String({ description: 'The `action` that it was recorded under.', examples: ['order.paid'] })
        : Type.Literal(type),
    occurredAt: Timestamp,
    workspaceId: integerId(1),
    subject: Type.String({
      description:
        'The `subjectId` of whom it is about, else their address, phone number or `visitorId`; may be empty.',
      examples: ['user-42'],
    }),
    ...(aboutContact === 'never'
      ? {}
      : { contactId: aboutContact === 'always' ? contactId : Type.Optional(contactId) }),
    data: answer(`${name}Data`, data),
  })
}

function header(name: string, description: string, example: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}
