import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const SUPPRESSION_REASONS = ['bounce', 'complaint', 'manual'] as const

const reason = oneOf(SUPPRESSION_REASONS, {
  description:
    'bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody ' +
    'put it on the list.',
})
const destination = Type.String({
  maxLength: 1_000,
  description: 'An email address; stored in lower case.',
  examples: ['gone@example.com'],
})

export const Suppression = answer('Suppression', {
  id: Id,
  destination,
  reason,
  detail: nullable(
    Type.String({ description: 'The words of the receiver, if it said something.', examples: ['5.1.1 User unknown'] }),
  ),
  messageId: nullable(
    Type.String({ ...Id, description: 'The message that bounced or was complained about, if it is known.' }),
  ),
  createdAt: Timestamp,
})
export type Suppression = Static<typeof Suppression>

export const SuppressionBody = closed(
  'SuppressionBody',
  {
    destination,
    reason: Type.Optional(
      oneOf(SUPPRESSION_REASONS, { description: 'manual without it. The others are for lists of another service.' }),
    ),
  },
  { examples: [{ destination: 'gone@example.com' }] },
)
export type SuppressionBody = Static<typeof SuppressionBody>

/** Filters of a list of suppressions; a suppression fits all of them. */
export const suppressionFilters = {
  destination: Type.Optional(Type.String({ maxLength: 300, description: 'Only the one of this address.' })),
  reason: Type.Optional(reason),
  createdSince: Type.Optional(Type.String({ ...Timestamp, description: 'Only those made at or after this time.' })),
}
export type SuppressionFilter = {
  destination?: string
  reason?: (typeof SUPPRESSION_REASONS)[number]
  createdSince?: string
}

/** A small file, for who has no way to send one as it is. */
export const SuppressionImportBody = closed(
  'SuppressionImportBody',
  {
    csv: Type.String({ minLength: 1, description: 'The file.', examples: ['email,reason\ngone@example.com,bounce\n'] }),
  },
  { examples: [{ csv: 'email,reason\nlost@example.com,bounce\n' }] },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** How many rows that failed an answer tells of. */
export const IMPORT_ERRORS_MAX = 100

export const SuppressionImport = answer('SuppressionImport', {
  added: count('Addresses that are on the list now and were not before.'),
  known: count('Addresses that were on it: they stay as they are.'),
  failed: count('Rows without an address, or with a reason that is none.'),
  errors: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Line of the file, from 1.' }),
      detail: Type.String({ examples: ['email is not an email address'] }),
    }),
    { description: `The first ${IMPORT_ERRORS_MAX} rows that failed.` },
  ),
})
export type SuppressionImport = Static<typeof SuppressionImport>
