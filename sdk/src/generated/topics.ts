// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type Topic = {
  id: string
  /** Readers see it. */
  name: string
  /** Readers see it below the name. */
  description: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */
  visibility: Open<'public' | 'private'>
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */
  subscription: Open<'everyone' | 'opt_in'>
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */
  doubleOptIn: boolean
  createdAt: string
  updatedAt: string
}

export type TopicBody = {
  /** Readers see it. */
  name: string
  /** Readers see it below the name. */
  description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */
  visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */
  subscription?: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */
  doubleOptIn?: boolean
}

export type TopicChange = {
  /** Readers see it. */
  name?: string
  /** Readers see it below the name. */
  description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */
  visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */
  subscription?: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */
  doubleOptIn?: boolean
}

export type TopicPage = {
  items: Array<Topic>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface TopicsOperations {
  /** Create a topic. Public and for everyone when it is not said otherwise. Needs the scope `contacts:write`. */
  create(body: TopicBody, options?: PostOptions): Promise<Tagged<Topic>>

  /** Delete a topic. With the subscriptions to it, which go in the background. 409 while a broadcast that is not sent or canceled is of it, or a segment or an automation names it. Needs the scope `contacts:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a topic. Needs the scope `contacts:read`. */
  get(id: string, options?: Options): Promise<Tagged<Topic>>

  /** List topics. Kinds of mail that readers choose by themselves. Ascending by id. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<TopicPage>

  /** Change a topic. Absent fields stay. Messages that are queued already heed the change. Needs the scope `contacts:write`. */
  update(id: string, body: TopicChange, options?: GuardedOptions): Promise<Tagged<Topic>>
}
