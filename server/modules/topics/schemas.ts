import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const VISIBILITIES = ['public', 'private'] as const
export const SUBSCRIPTIONS = ['everyone', 'opt_in'] as const
export const TOPIC_STATES = ['subscribed', 'unsubscribed', 'pending', 'default'] as const

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Readers see it.', examples: ['Product news'] }),
  description: nullable(
    Type.String({ maxLength: 500, description: 'Readers see it below the name.', examples: ['Once a month.'] }),
  ),
  visibility: oneOf(VISIBILITIES, {
    description: 'public: on the preference page of every reader. private: only of those who have subscribed to it.',
  }),
  subscription: oneOf(SUBSCRIPTIONS, {
    description: 'everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it.',
  }),
  doubleOptIn: Type.Boolean({
    description:
      'A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. ' +
      'Only of a topic by opt-in; who has subscribed already stays.',
  }),
}

export const Topic = answer('Topic', { id: Id, ...fields, createdAt: Timestamp, updatedAt: Timestamp })
export type Topic = Static<typeof Topic>

const optional = Type.Partial(Type.Object(fields)).properties

export const TopicBody = closed(
  'TopicBody',
  { ...optional, name: fields.name },
  { examples: [{ name: 'Product news', subscription: 'opt_in' }] },
)
export type TopicBody = Static<typeof TopicBody>

export const TopicChange = closed('TopicChange', optional, { examples: [{ name: 'News of our products' }] })
export type TopicChange = Static<typeof TopicChange>

/** A topic as it stands for one contact. */
export const ContactTopic = answer('ContactTopic', {
  topicId: Id,
  name: fields.name,
  subscription: fields.subscription,
  doubleOptIn: fields.doubleOptIn,
  state: oneOf(TOPIC_STATES, {
    description:
      'pending: asked by mail, and not confirmed yet. default: neither yes nor no was said; `subscription` decides.',
  }),
  wanted: Type.Boolean({ description: 'Whether mail of the topic goes to the contact, as far as this decides it.' }),
  reason: nullable(
    Type.String({
      description: 'Why mail of the topic would not go to the contact now, as in a report; null: it would.',
      examples: ['unsubscribed_everything'],
    }),
  ),
})
export type ContactTopic = Static<typeof ContactTopic>

export const ContactTopicList = answer('ContactTopicList', { items: Type.Array(ContactTopic) })

export const ContactTopicBody = closed(
  'ContactTopicBody',
  { state: oneOf(['subscribed', 'unsubscribed']) },
  { examples: [{ state: 'subscribed' }] },
)
