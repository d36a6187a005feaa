import { type Static, Type } from 'typebox'
import { answer, closed, Id, Timestamp } from '../../platform/schema/schemas.ts'

const NAME_CHARS_MAX = 100
const BODY_CHARS_MAX = 50_000

const name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Trimmed; of one block only, whatever its case.',
  examples: ['Footer with our address'],
})
const body = Type.String({
  minLength: 1,
  maxLength: BODY_CHARS_MAX,
  description:
    'One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds.',
  examples: ['<mj-section><mj-column><mj-text>Fernwood, Mill Lane 4</mj-text></mj-column></mj-section>'],
})

const facts = {
  id: Id,
  name,
  element: Type.String({ description: 'Its element, which says where it may stand.', examples: ['mj-section'] }),
}
const times = { createdAt: Timestamp, updatedAt: Timestamp }

export const SavedBlock = answer('SavedBlock', { ...facts, body, ...times })
export type SavedBlock = Static<typeof SavedBlock>

/** A block as a list shows it, without its text. */
export const SavedBlockSummary = answer('SavedBlockSummary', { ...facts, ...times })
export type SavedBlockSummary = Static<typeof SavedBlockSummary>

export const SavedBlockBody = closed(
  'SavedBlockBody',
  { name, body },
  { examples: [{ name: 'Divider', body: '<mj-divider border-width="1px" border-color="#dddddd" />' }] },
)
export type SavedBlockBody = Static<typeof SavedBlockBody>

export const SavedBlockChange = closed(
  'SavedBlockChange',
  { name: Type.Optional(name), body: Type.Optional(body) },
  { examples: [{ name: 'Footer' }] },
)
export type SavedBlockChange = Static<typeof SavedBlockChange>
