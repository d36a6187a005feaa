import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, Timestamp } from '../../platform/schema/schemas.ts'

const SEARCH_CHARS_MAX = 200
export const WAIT_SECONDS_MAX = 30

const person = Type.Object({
  name: nullable(Type.String()),
  address: Type.String({ examples: ['ada@example.com'] }),
})

const listed = {
  id: Id,
  receivedAt: Timestamp,
  readAt: nullable({ ...Timestamp, description: 'When somebody first looked at it, on a page or with `GET`.' }),
  subject: Type.String({ examples: ['Your receipt'] }),
  mailFrom: Type.String({ description: 'Of the envelope; empty for the null reverse-path.' }),
  recipients: Type.Array(Type.String(), { description: 'Of the envelope, `bcc` among them.' }),
  sizeBytes: Type.Integer(),
}

export const CaughtMail = answer('CaughtMail', listed)

export const CaughtMailList = answer('CaughtMailList', {
  items: Type.Array(CaughtMail),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

/** A mail of the mailbox with what its receiver reads. */
export const CaughtMailDetail = answer('CaughtMailDetail', {
  ...listed,
  from: nullable(person),
  to: Type.Array(person),
  cc: Type.Array(person),
  replyTo: Type.Array(person),
  html: nullable(Type.String({ description: 'At most 524,288 characters; the whole is in the raw message.' })),
  text: nullable(Type.String()),
  links: Type.Array(Type.String(), { description: 'Links of the HTML, in their order.' }),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  attachments: Type.Array(
    Type.Object({
      fileName: nullable(Type.String()),
      contentType: Type.String(),
      contentId: nullable(Type.String()),
      sizeBytes: Type.Integer(),
    }),
  ),
})

export const ClearedMailbox = answer('ClearedMailbox', {
  deleted: Type.Integer({ description: 'How many mails.', examples: [3] }),
})

const filter = {
  to: Type.Optional(Type.String({ maxLength: 320, description: 'Only to this address, as the envelope has it.' })),
  subject: Type.Optional(Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only with this in the subject.' })),
  search: Type.Optional(
    Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only with this in subject, sender or recipients.' }),
  ),
}

export const MailFilter = closed(filter)

export const MailListQuery = closed({
  ...filter,
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
})

export const MailWaitQuery = closed({
  ...filter,
  after: Type.Optional(Type.String({ ...Id, description: 'Only mail that arrived after this one.' })),
  timeoutSeconds: Type.Integer({
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: 10,
    description: 'With 0 it looks once.',
  }),
})

export type MailFilterQuery = Static<typeof MailFilter>
