import { type Static, Type } from 'typebox'
import { CONTACT_FIELDS, type ContactField } from '../../catalogue/contact-fields.ts'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

const text = (description: string, example: string) =>
  nullable(Type.String({ maxLength: 1_000, description, examples: [example] }))

const fields = Object.fromEntries(
  CONTACT_FIELDS.map(({ name, description, example }) => [name, text(description, example)]),
) as Record<ContactField, ReturnType<typeof text>>

/** Interface specification, Contact. */
export const Contact = answer('Contact', {
  id: Id,
  ...fields,
  customFields: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Contact = Static<typeof Contact>

const optional = Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, Type.Optional(schema)])) as {
  [K in ContactField]: ReturnType<typeof Type.Optional<(typeof fields)[K]>>
}

/** Fields that a caller may give; on a change an absent field stays and null clears it. Custom fields merge by key. */
export const ContactBody = closed(
  'ContactBody',
  {
    ...optional,
    customFields: Type.Optional(Type.Union([FreeForm, Type.Null()])),
  },
  { examples: [{ subjectId: 'user-42', email: 'ada@example.com', firstName: 'Ada', customFields: { visits: 3 } }] },
)
const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 300, description, examples: [example] }))

/** Filters of a list of contacts; a contact fits all of them. */
export const contactFilters = {
  search: filter(
    'Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two ' +
      'characters must stand at the beginning of one of these.',
    'lovelace',
  ),
  email: filter('Only the contact with this address.', 'ada@example.com'),
  subjectId: filter('Only the contact with this subjectId.', 'user-42'),
  phone: filter('Only the contact with this phone number.', '+44 20 7946 0958'),
  tag: filter('Only contacts that have the tag of this name.', 'VIP'),
  segmentId: Type.Optional(Type.String({ ...Id, description: 'Only contacts that are in this segment now.' })),
  updatedSince: Type.Optional(
    Type.String({ ...Timestamp, description: 'Only contacts created or changed at or after this time.' }),
  ),
}
export type ContactFilter = { [F in keyof typeof contactFilters]?: string }

export type ContactBody = Partial<Record<ContactField, string | null>> & {
  customFields?: Record<string, unknown> | null
}

/** Orders of the list: the oldest or the newest first. */
export const CONTACT_SORTS = ['id', '-id'] as const
export type ContactSort = (typeof CONTACT_SORTS)[number]

const CONTACTS_PER_BATCH_MAX = 1_000

/** Each item is held to `ContactBody` by itself, so the request is valid with items that are not. */
export const ContactBatchBody = closed(
  'ContactBatchBody',
  {
    contacts: Type.Array(
      Type.Union([ContactBody, Type.Unknown({ description: 'Anything else is answered as a failed item.' })]),
      { minItems: 1, maxItems: CONTACTS_PER_BATCH_MAX },
    ),
  },
  { examples: [{ contacts: [{ email: 'grace@example.com', firstName: 'Grace' }] }] },
)

export const ContactBatchResults = answer('ContactBatchResults', {
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the request, from 0.', examples: [0] }),
      status: oneOf(['created', 'updated', 'failed'], {
        description: 'updated: the contact was there, whether or not the item changed it. failed: nothing was done.',
      }),
      contactId: Type.Optional(Id),
      error: Type.Optional(
        Type.String({
          description: 'The fault of a failed item, beginning with the field concerned.',
          examples: ['/email belongs to another contact of this workspace'],
        }),
      ),
    }),
    { description: 'One for each item, in their order.' },
  ),
})
export type BatchResult = Static<typeof ContactBatchResults>['results'][number]
