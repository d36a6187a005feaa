import { type Static, Type } from 'typebox'
import { answer, closed, Id, Timestamp } from '../../platform/schema/schemas.ts'
import { TAG_NAME_CHARS_MAX } from './tag-name.ts'

const name = Type.String({
  maxLength: 4 * TAG_NAME_CHARS_MAX,
  description: `Up to ${TAG_NAME_CHARS_MAX} characters; unique in the workspace whatever the case of its letters.`,
  examples: ['VIP'],
})

/** Interface specification, Tag. */
export const Tag = answer('Tag', { id: Id, name, createdAt: Timestamp })
export type Tag = Static<typeof Tag>

const contactCount = Type.Integer({ description: 'How many contacts have the tag; exact.', examples: [1_204] })

/** A tag with the count that the dashboard's list shows besides. */
export const CountedTag = answer('CountedTag', { ...Tag.properties, contactCount })

export const TagCount = answer('TagCount', { contactCount })

export const TagBody = closed('TagBody', { name }, { examples: [{ name: 'VIP' }] })

/** An absent name stays. */
export const TagChange = closed('TagChange', { name: Type.Optional(name) }, { examples: [{ name: 'Patron' }] })

export const tagFilters = {
  search: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Only tags with this text in their name, whatever the case of its letters.',
      examples: ['vip'],
    }),
  ),
}
