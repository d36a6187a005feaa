import { type Static, Type } from 'typebox'
import { BROWSER_SOURCES, PROOFS } from '../../catalogue/proofs.ts'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { ACTION_CHARS_MAX } from './recorded-event.ts'

export const EVENTS_PER_REQUEST_MAX = 1_000

const optionalText = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 1_000, description })))

/** Interface specification, Recorded event; decisions 6. */
export const EventItem = closed('RecordedEvent', {
  id: optionalText('Your own id of the event, at most 64 characters: a repeat of it records nothing.'),
  action: Type.String({
    minLength: 1,
    maxLength: ACTION_CHARS_MAX,
    description:
      'The name under which the event is delivered. Names of the system itself (contact.…, email.…) are refused.',
    examples: ['page.view'],
  }),
  subjectId: optionalText('Your id of the person. One of subjectId, email, phone is required.'),
  email: optionalText('Address of the person.'),
  phone: optionalText('Phone number of the person.'),
  properties: Type.Optional(
    Type.Union([FreeForm, Type.Null()], { description: 'Anything you want to keep with it; at most 32 KiB as JSON.' }),
  ),
  occurredAt: Type.Optional(nullable(Timestamp)),
})

const EVENT_EXAMPLE = {
  events: [{ action: 'order.paid', subjectId: 'user-42', properties: { total: 12.5 } }],
}

export const EventsBody = closed(
  'EventsBody',
  {
    events: Type.Array(EventItem, { minItems: 1, maxItems: EVENTS_PER_REQUEST_MAX }),
  },
  { examples: [EVENT_EXAMPLE] },
)
export type EventsBody = Static<typeof EventsBody>

/** Each item is held to `EventItem` by itself, so the request is valid with items that are not. */
export const EventBatchBody = closed(
  'EventBatchBody',
  {
    events: Type.Array(
      Type.Union([EventItem, Type.Unknown({ description: 'Anything else is answered as a failed item.' })]),
      { minItems: 1, maxItems: EVENTS_PER_REQUEST_MAX },
    ),
  },
  { examples: [EVENT_EXAMPLE] },
)

const EVENT_RESULT_STATUSES = ['accepted', 'failed'] as const

export const EventBatchResults = answer('EventBatchResults', {
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the request, from 0.' }),
      status: oneOf(EVENT_RESULT_STATUSES, {
        description: 'accepted: the event is durable. failed: it was not recorded.',
      }),
      error: Type.Optional(
        Type.String({
          description: 'The fault of a failed item, beginning with the field concerned.',
          examples: ['/properties must have at most 32768 bytes as JSON'],
        }),
      ),
    }),
    { description: 'One for each item, in their order.' },
  ),
})
export type EventResult = Static<typeof EventBatchResults>['results'][number]

const FreeFormAnswer = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** A stored event, in the words in which it was recorded. */
export const TimelineEvent = answer('TimelineEvent', {
  id: Id,
  type: Type.String({
    description: "`event.recorded` for what a caller recorded, else the system's own word for what happened.",
    examples: ['event.recorded'],
  }),
  action: Type.String({ description: 'The name under which it is delivered.', examples: ['order.paid'] }),
  subjectId: nullable(Type.String({ description: 'As recorded.', examples: ['user-42'] })),
  email: nullable(Type.String({ description: 'As recorded.', examples: ['ada@example.com'] })),
  phone: nullable(Type.String({ description: 'As recorded.', examples: ['+44 20 7946 0958'] })),
  visitorId: nullable(
    Type.String({ description: 'The browser it is of.', examples: ['0f8b2c6de1a94f0bb1f0c3d2e4a59687'] }),
  ),
  source: nullable(oneOf(BROWSER_SOURCES, { description: 'Where it came in; null: by the API, or from the system.' })),
  proof: nullable(oneOf(PROOFS, { description: 'How well it is proven who it was; null where a server has said it.' })),
  properties: FreeFormAnswer,
  occurredAt: Timestamp,
  recordedAt: Timestamp,
})

/** An event of a whole workspace, with whom it was attached to. */
export const ListedEvent = answer('Event', {
  ...TimelineEvent.properties,
  contactId: nullable(Type.String({ ...Id, description: 'The contact that was known then; null without one.' })),
})

export const EventList = answer('EventList', {
  items: Type.Array(ListedEvent),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

export const EventAction = answer('EventAction', {
  action: Type.String({ examples: ['order.paid'] }),
  lastSeenAt: Type.String({ ...Timestamp, description: 'To the minute.' }),
  sample: nullable({
    ...FreeFormAnswer,
    description: 'The `properties` of one of the last; null when it was erased or has left by age.',
  } as typeof FreeFormAnswer),
})

export const Timeline = answer('ContactTimeline', {
  items: Type.Array(TimelineEvent),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})
