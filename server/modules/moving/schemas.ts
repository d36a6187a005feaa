import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { API_SOURCE_NAMES, FILE_SOURCE_NAMES } from './sources.ts'

const KEY_CHARS_MAX = 500
const ADDRESS_CHARS_MAX = 1_000

export const SourceOfFile = oneOf(FILE_SOURCE_NAMES, {
  description: 'The archive that Mailchimp exports, or the file of contacts that Keila does.',
})

export const MoveBody = closed(
  'MoveBody',
  {
    source: oneOf(API_SOURCE_NAMES, { description: 'The service to be asked.' }),
    address: Type.Optional(
      Type.String({
        maxLength: ADDRESS_CHARS_MAX,
        pattern: '^https?://[^\\s]+$',
        description:
          'Where its installation is; of Brevo and Mailchimp only where that is not where it is for everybody.',
        examples: ['https://list.example.com'],
      }),
    ),
    key: Type.String({
      minLength: 1,
      maxLength: KEY_CHARS_MAX,
      pattern: '^[\\x21-\\x7e]+$',
      description:
        'Its API key; of listmonk `user:token` of an API user. It is kept sealed while the service is read, and forgotten then.',
      examples: ['api_user:token'],
    }),
  },
  { examples: [{ source: 'listmonk', address: 'https://list.example.com', key: 'api_user:token' }] },
)
export type MoveBody = Static<typeof MoveBody>

const count = Type.Integer({ examples: [12] })
const names = Type.Array(Type.String())
const made = Type.Object({ created: count, known: count })
const leftOut = Type.Array(
  Type.Object({ why: Type.String(), count, examples: Type.Array(Type.String({ examples: ['campaign "Summer"'] })) }),
)

export const Move = answer('Move', {
  id: Id,
  source: oneOf([...API_SOURCE_NAMES, ...FILE_SOURCE_NAMES]),
  name: Type.String({ description: 'What the service is called.', examples: ['Brevo'] }),
  address: nullable(Type.String({ description: 'Where it is asked; null of a file.' })),
  state: oneOf(['reading', 'read', 'running', 'done', 'failed', 'canceled'], {
    description:
      'reading: page by page, nothing is changed. read: waits to be brought in, for a week. failed: `failure` says why; one that was being brought in can be gone on with.',
  }),
  canStart: Type.Boolean({ description: 'Whether it can be brought in, or gone on with.' }),
  pages: Type.Integer({ description: 'Pages that were read.' }),
  waitsUntil: nullable({ ...Timestamp, description: 'The service wants to be left alone until then.' }),
  foreseen: Type.Object(
    {
      people: Type.Object({ total: count, withConsent: count, withoutConsent: count }),
      optOuts: Type.Object({ unsubscribed: count, bounce: count, complaint: count, manual: count }),
      ...{ tags: names, fields: names, templates: names, broadcasts: names, leftOut },
    },
    { description: 'Everything that would come along, as far as it is read, and what would not.' },
  ),
  stage: nullable(
    oneOf(['opt_outs', 'people', 'templates', 'broadcasts'], { description: 'What is being brought in.' }),
  ),
  moved: Type.Object(
    {
      people: Type.Array(
        Type.Object({
          ...{ file: Type.String(), importId: Id, created: count, updated: count, unchanged: count, failed: count },
        }),
        { description: 'Files of people; the import of each has the rows that failed.' },
      ),
      importing: nullable({ ...Id, description: 'The import that runs.' }),
      optOuts: Type.Object({ added: count, known: count }),
      ...{ templates: made, broadcasts: made },
      leftOut: Type.Array(Type.Object({ what: Type.String(), why: Type.String() })),
      leftOutTotal: count,
    },
    { description: 'Everything that has come.' },
  ),
  failure: nullable(Type.String({ description: 'Why it failed, or was canceled by the system.' })),
  createdAt: Timestamp,
  startedAt: nullable({ ...Timestamp, description: 'When it was begun to be brought in.' }),
  endedAt: nullable(Timestamp),
  updatedAt: Timestamp,
})
export type Move = Static<typeof Move>
