// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type ContactTopic = {
  topicId: string
  /** Readers see it. */ name: string
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */ doubleOptIn: boolean
  /** pending: asked by mail, and not confirmed yet. default: neither yes nor no was said; `subscription` decides. */ state: 'subscribed' | 'unsubscribed' | 'pending' | 'default'
  /** Whether mail of the topic goes to the contact, as far as this decides it. */ wanted: boolean
  /** Why mail of the topic would not go to the contact now, as in a report; null: it would. */ reason: string | null
}

export type ContactTopicBody = {
  state: 'subscribed' | 'unsubscribed'
}

export type ContactTopicList = {
  items: Array<ContactTopic>
}

export type Topic = {
  id: string
  /** Readers see it. */ name: string
  /** Readers see it below the name. */ description: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */ doubleOptIn: boolean
  createdAt: string
  updatedAt: string
}

export type TopicBody = {
  /** Readers see it. */ name: string
  /** Readers see it below the name. */ description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription?: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */ doubleOptIn?: boolean
}

export type TopicChange = {
  /** Readers see it. */ name?: string
  /** Readers see it below the name. */ description?: string | null
  /** public: on the preference page of every reader. private: only of those who have subscribed to it. */ visibility?: 'public' | 'private'
  /** everyone: whoever of an audience has not said no gets it. opt_in: only who has subscribed to it. */ subscription?: 'everyone' | 'opt_in'
  /** A yes that is not the person’s own, on a page of ours, counts once they have confirmed it by the link of a mail. Only of a topic by opt-in; who has subscribed already stays. */ doubleOptIn?: boolean
}

export type TopicPage = {
  items: Array<Topic>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TopicsOperations = {
  'DELETE /topics/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /contacts/{contactId}/topics': {
    params: { contactId: string }
    query: undefined
    body: undefined
    answer: ContactTopicList
  }
  'GET /topics': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TopicPage
  }
  'GET /topics/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Topic
  }
  'PATCH /topics/{id}': {
    params: { id: string }
    query: undefined
    body: TopicChange
    answer: Topic
  }
  'POST /topics': {
    params: undefined
    query: undefined
    body: TopicBody
    answer: Topic
  }
  'PUT /contacts/{contactId}/topics/{topicId}': {
    params: { contactId: string; topicId: string }
    query: undefined
    body: ContactTopicBody
    answer: ContactTopic
  }
}
