import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, Timestamp } from '../../platform/schema/schemas.ts'

const destination = Type.String({
  maxLength: 1_000,
  description: 'An email address; stored in lower case.',
  examples: ['ada@example.com'],
})
const SOURCES =
  'Unwanted mail: `broadcasts`, all `automations`, one topic or automation by its id (`topic:3`, `automation:7`), or ' +
  '`everything` but transactional mail.'
/** The id of an automation fits 64 bits. */
const sendingSource = (description: string) =>
  Type.String({
    pattern: '^(broadcasts|automations|everything|(automation|topic):[0-9]{1,18})$',
    description,
    examples: ['broadcasts'],
  })

export const Unsubscribe = answer('Unsubscribe', {
  id: Id,
  destination,
  sendingSource: sendingSource(SOURCES),
  messageId: nullable(Type.String({ ...Id, description: 'The message whose link was used, if one was.' })),
  createdAt: Timestamp,
})
export type Unsubscribe = Static<typeof Unsubscribe>

export const UnsubscribeBody = closed(
  'UnsubscribeBody',
  {
    destination,
    sendingSource: Type.Optional(sendingSource(`${SOURCES} Without it \`broadcasts\`.`)),
  },
  { examples: [{ destination: 'ada@example.com', sendingSource: 'broadcasts' }] },
)
export type UnsubscribeBody = Static<typeof UnsubscribeBody>

export const unsubscribeFilters = {
  destination: Type.Optional(
    Type.String({ maxLength: 300, description: 'Only those of this address.', examples: ['ada@example.com'] }),
  ),
}
