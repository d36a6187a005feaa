import { type Static, Type } from 'typebox'
import { closed, FreeForm, nullable, Timestamp } from '../../platform/http/schemas.ts'
import { ACTION_CHARS_MAX } from './recorded-event.ts'

export const EVENTS_PER_REQUEST_MAX = 1_000

const optionalText = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 1_000, description })))

/** Interface specification, Recorded event; decisions 6. */
export const EventItem = closed({
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

export const EventsBody = closed({
  events: Type.Array(EventItem, { minItems: 1, maxItems: EVENTS_PER_REQUEST_MAX }),
})
export type EventsBody = Static<typeof EventsBody>
