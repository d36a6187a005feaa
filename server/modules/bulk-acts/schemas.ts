import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { contactFilters } from '../contacts/schemas.ts'
import { TAG_NAME_CHARS_MAX } from '../tags/tag-name.ts'

export const BULK_ACTS = ['tag', 'untag'] as const
export type BulkActKind = (typeof BULK_ACTS)[number]

const what = {
  act: oneOf(BULK_ACTS, { description: 'tag: gives the tag, which is made where there is none. untag: takes it off.' }),
  tag: Type.String({ minLength: 1, maxLength: TAG_NAME_CHARS_MAX, description: 'Name of the tag.', examples: ['VIP'] }),
  filter: Type.Optional(
    closed(contactFilters, { description: 'The contacts, as in the list of contacts; everybody when absent.' }),
  ),
}
const example = { act: 'tag', tag: 'VIP', filter: { search: 'example.com' } }

export const BulkActPreviewBody = closed('BulkActPreviewBody', what, { examples: [example] })
export type BulkActPreviewBody = Static<typeof BulkActPreviewBody>

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
  tag: Type.String({ examples: ['VIP'] }),
  state: oneOf(['running', 'done', 'canceled', 'failed']),
  filter: closed(contactFilters),
  contacts: Type.Object({
    total: Type.Integer({ description: 'Contacts that fit; until the filter is applied, as many as there were then.' }),
    done: Type.Integer({ description: 'Of these, those it has come to.' }),
    changed: Type.Integer({ description: 'Of these, those who did not have it so already.' }),
  }),
  undoes: nullable({ ...Id, description: 'The act that it takes back.' }),
  canBeUndone: Type.Boolean({ description: 'Whether it can be taken back: for a week, and once.' }),
  failure: nullable(Type.String({ description: 'Why it failed.' })),
  createdAt: Timestamp,
  endedAt: nullable(Timestamp),
})
export type BulkAct = Static<typeof BulkAct>
