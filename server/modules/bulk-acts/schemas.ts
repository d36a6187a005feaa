import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { contactFilters } from '../contacts/schemas.ts'
import { TAG_NAME_CHARS_MAX } from '../tags/tag-name.ts'

const TAGGING = ['tag', 'untag'] as const
export const BULK_ACTS = [...TAGGING, 'erase'] as const
export type BulkActKind = (typeof BULK_ACTS)[number]

/** Contacts that a request names one by one. */
const NAMED_MAX = 1_000

const contactIds = Type.Optional(
  Type.Array(Id, {
    minItems: 1,
    maxItems: NAMED_MAX,
    description: 'These contacts, instead of a filter; those that are not there are left out.',
  }),
)
const tagName = { minLength: 1, maxLength: TAG_NAME_CHARS_MAX, description: 'Name of the tag.', examples: ['VIP'] }
const people = {
  filter: Type.Optional(
    closed(contactFilters, {
      description: 'The contacts, as in the list of contacts; everybody when absent and none are named.',
    }),
  ),
  contactIds,
}
const what = {
  act: oneOf(TAGGING, { description: 'tag: gives the tag, which is made where there is none. untag: takes it off.' }),
  tag: Type.String(tagName),
  ...people,
}
const example = { act: 'tag', tag: 'VIP', filter: { search: 'example.com' } }

export const BulkActPreviewBody = closed(
  'BulkActPreviewBody',
  {
    act: oneOf(BULK_ACTS, { description: 'As in the request that acts; `erase` for the one that erases.' }),
    tag: Type.Optional(Type.String({ ...tagName, description: 'Name of the tag; not for `erase`.' })),
    ...people,
  },
  { examples: [example] },
)
export type BulkActPreviewBody = Static<typeof BulkActPreviewBody>

export const BulkErasureBody = closed(
  'BulkErasureBody',
  {
    filter: Type.Optional(
      closed(contactFilters, {
        description:
          'The contacts, as in the list of contacts. An empty one is everybody; it is never left out for that.',
      }),
    ),
    contactIds,
    expectedCount: Type.Integer({
      minimum: 1,
      description: 'How many contacts are to be erased: 409 with the number now when it is another one.',
    }),
  },
  { examples: [{ filter: { tag: 'Left' }, expectedCount: 12 }] },
)
export type BulkErasureBody = Static<typeof BulkErasureBody>

export const BulkActBody = closed(
  'BulkActBody',
  {
    ...what,
    expectedCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'How many contacts you think fit: 409 with the number now when it has moved by more than 1 % or 10.',
      }),
    ),
  },
  { examples: [example] },
)
export type BulkActBody = Static<typeof BulkActBody>

export const BulkActPreview = answer('BulkActPreview', {
  count: Type.Integer({ description: 'Contacts that fit the filter now, exactly.', examples: [1_204] }),
  changes: Type.Integer({ description: 'Of these, those whom it would change.', examples: [980] }),
})
export type BulkActPreview = Static<typeof BulkActPreview>

export const BulkAct = answer('BulkAct', {
  id: Id,
  act: oneOf(BULK_ACTS),
  tag: nullable(Type.String({ description: 'Null for `erase`.', examples: ['VIP'] })),
  state: oneOf(['running', 'done', 'canceled', 'failed']),
  filter: nullable(closed(contactFilters, { description: 'Null when the contacts were named one by one.' })),
  contacts: Type.Object({
    total: Type.Integer({ description: 'Contacts that fit; until the filter is applied, as many as there were then.' }),
    done: Type.Integer({ description: 'Of these, those it has come to.' }),
    changed: Type.Integer({ description: 'Of these, those who did not have it so already; those who are erased.' }),
  }),
  undoes: nullable({ ...Id, description: 'The act that it takes back.' }),
  canBeUndone: Type.Boolean({ description: 'Whether it can be taken back: for a week, and once. No erasing can.' }),
  failure: nullable(Type.String({ description: 'Why it failed.' })),
  createdAt: Timestamp,
  endedAt: nullable(Timestamp),
})
export type BulkAct = Static<typeof BulkAct>
