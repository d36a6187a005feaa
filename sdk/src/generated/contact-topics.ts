// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options } from '../call.ts'

export type ContactTopic = {
  topicId: string
  /** Readers see it. */
  name: string
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */
  subscription: Open<'everyone' | 'opt_in'>
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */
  doubleOptIn: boolean
  /** pending: asked by mail, and not confirmed yet. default: neither yes nor no was said; `subscription` decides. */
  state: Open<'subscribed' | 'unsubscribed' | 'pending' | 'default'>
  /** Whether mail of the topic goes to the contact, as far as this decides it. */
  wanted: boolean
  /** Why mail of the topic would not go to the contact now, as in a report; null: it would. */
  reason: string | null
}

export type ContactTopicBody = {
  state: 'subscribed' | 'unsubscribed'
}

export type ContactTopicList = {
  items: Array<ContactTopic>
}

export interface ContactTopicsOperations {
  /** List the topics of a contact. All topics of the workspace, by name, and what the contact has said to each. Needs the scope `contacts:read`. */
  list(contactId: string, options?: Options): Promise<ContactTopicList>

  /** Say that a contact wants a topic, or not. At your word. The same again changes nothing. Of a topic with double opt-in a yes is `pending`: the contact is asked by mail, at most once in ten minutes. Needs the scope `contacts:write`. */
  set(contactId: string, topicId: string, body: ContactTopicBody, options?: Options): Promise<ContactTopic>
}
