import { type Static, Type } from 'typebox'
import { CONTACT_FIELDS, type ContactField } from '../../catalogue/contact-fields.ts'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { TAG_NAME_CHARS_MAX } from '../tags/tag-name.ts'

/** Tags of a contact that its answers name. */
export const TAGS_SHOWN_MAX = 200
const TAGS_GIVEN_MAX = 50

const text = (description: string, example: string) =>
  nullable(Type.String({ maxLength: 1_000, description, examples: [example] }))

const fields = Object.fromEntries(
  CONTACT_FIELDS.map(({ name, description, example }) => [name, text(description, example)]),
) as Record<ContactField, ReturnType<typeof text>>

/** Facts that others keep of a contact. They move by themselves: none of them makes a new version of it. */
const facts = {
  tags: Type.Array(Type.String(), {
    description: `Names of its tags, by name; the first ${TAGS_SHOWN_MAX} of more, which \`/tags\` has all.`,
    examples: [['VIP']],
  }),
  consent: nullable(
    Type.Object(
      {
        provenance: oneOf(['double_opt_in', 'grandfathered', 'imported'], {
          description: 'How it is known; double_opt_in: we have seen it confirmed.',
        }),
        optedInAt: nullable(Timestamp),
        confirmedAt: nullable(Timestamp),
      },
      { description: 'The consent to marketing mail; null when none is known.' },
    ),
  ),
  topics: Type.Array(Type.Object({ topicId: Id, name: Type.String(), state: oneOf(['subscribed', 'unsubscribed']) }), {
    description: 'Topics that a word was said about; of the others `subscription` decides.',
  }),
  unsubscribedFrom: Type.Array(Type.String(), {
    description: 'Sending sources that the address wants no more of.',
    examples: [['broadcasts']],
  }),
  isUnproven: Type.Boolean({
    description: 'Whether its address was stated by a page alone: it is not mailed until it is proven.',
    examples: [false],
  }),
  suppression: nullable(
    Type.Object(
      { reason: oneOf(['bounce', 'complaint', 'manual']), createdAt: Timestamp },
      { description: 'Why the address is mailed nothing at all; null when it is mailed.' },
    ),
  ),
}

/** Interface specification, Contact. */
export const Contact = answer('Contact', {
  id: Id,
  ...fields,
  customFields: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ...facts,
})
export type ContactFacts = { [F in keyof typeof facts]: Static<(typeof facts)[F]> }
export type ShownContact = Static<typeof Contact>
/** A contact by itself. */
export type Contact = Omit<ShownContact, keyof ContactFacts>

const optional = Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, Type.Optional(schema)])) as {
  [K in ContactField]: ReturnType<typeof Type.Optional<(typeof fields)[K]>>
}

const given = { ...optional, customFields: Type.Optional(Type.Union([FreeForm, Type.Null()])) }

/** Names that other services have for these fields: those of their files, and of their maps of own fields. */
const OTHER_NAMES = {
  ...Object.fromEntries(CONTACT_FIELDS.map(({ name, importWords }) => [name, importWords])),
  firstName: [...CONTACT_FIELDS.find(({ name }) => name === 'firstName')!.importWords, 'name', 'fullName'],
  customFields: ['attributes', 'attribs', 'mergeFields', 'mergeVars', 'fields', 'properties', 'traits', 'data'],
}

/** Fields of a change: an absent one stays and null clears it. Custom fields merge by key. */
export const ContactChange = closed('ContactChange', given, {
  examples: [{ lastName: 'Lovelace', customFields: { visits: 4 } }],
  otherNames: OTHER_NAMES,
})

/** Fields that a caller may give a contact that perhaps is not there yet. */
export const ContactBody = closed(
  'ContactBody',
  {
    ...given,
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: 4 * TAG_NAME_CHARS_MAX, examples: ['VIP'] }), {
        maxItems: TAGS_GIVEN_MAX,
        description: 'Names of tags it gets; none is taken off. One that nobody has is made.',
      }),
    ),
  },
  {
    examples: [{ subjectId: 'user-42', email: 'ada@example.com', firstName: 'Ada', customFields: { visits: 3 } }],
    otherNames: OTHER_NAMES,
  },
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
  searchIn: Type.Optional(
    oneOf(['names'], {
      description: 'Has `search` look in first and last names alone, and not where those hold an address.',
    }),
  ),
  email: filter('Only the contact with this address.', 'ada@example.com'),
  subjectId: filter('Only the contact with this subjectId.', 'user-42'),
  phone: filter('Only the contact with this phone number.', '+44 20 7946 0958'),
  tag: filter('Only contacts that have the tag of this name.', 'VIP'),
  segmentId: Type.Optional(Type.String({ ...Id, description: 'Only contacts that are in this segment now.' })),
  updatedSince: Type.Optional(
    Type.String({ ...Timestamp, description: 'Only contacts created or changed at or after this time.' }),
  ),
  customField: Type.Optional(
    Type.Refine(
      Type.String({
        maxLength: 500,
        description:
          'Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one ' +
          'field, other comparisons and keys with a colon there are segments.',
        examples: ['plan:pro'],
      }),
      (value) => value.indexOf(':') > 0,
      () => 'must be the key of a custom field, a colon and its value, such as plan:pro',
    ),
  ),
}
export type ContactFilter = { [F in keyof typeof contactFilters]?: string }

export type ContactChange = Partial<Record<ContactField, string | null>> & {
  customFields?: Record<string, unknown> | null
}
export type ContactBody = ContactChange & { tags?: string[] }

/** Orders of the list, each with an index. */
export const CONTACT_SORTS = ['id', '-id', 'updatedAt', '-updatedAt', 'email', '-email'] as const
export type ContactSort = (typeof CONTACT_SORTS)[number]

/** Whether values of the core fields fill blanks of a contact that is there, or take the place of what it has. */
export const UPSERT_MODES = ['fill', 'overwrite'] as const
export type UpsertMode = (typeof UPSERT_MODES)[number]

const CONTACTS_PER_BATCH_MAX = 1_000

/** Each item is held to `ContactBody` by itself, so the request is valid with items that are not. */
export const ContactBatchBody = closed(
  'ContactBatchBody',
  {
    contacts: Type.Array(
      Type.Union([ContactBody, Type.Unknown({ description: 'Anything else is answered as a failed item.' })]),
      { minItems: 1, maxItems: CONTACTS_PER_BATCH_MAX },
    ),
    mode: Type.Optional(
      oneOf(UPSERT_MODES, {
        description:
          'fill, when absent: of a contact that is there, core fields that are blank get a value. overwrite: those that an ' +
          'item states are replaced, and null clears one. Custom fields are merged by key in both.',
      }),
    ),
  },
  { examples: [{ contacts: [{ email: 'grace@example.com', firstName: 'Grace' }] }] },
)

export const ContactBatchResults = answer('ContactBatchResults', {
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the request, from 0.', examples: [0] }),
      status: oneOf(['created', 'updated', 'failed'], {
        description:
          'updated: the contact was there; `changed` tells whether the item changed it. failed: nothing was done.',
      }),
      contactId: Type.Optional(Id),
      changed: Type.Optional(
        Type.Boolean({
          description: 'Of an updated one: whether a field has another value now. Tags are given all the same.',
        }),
      ),
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
