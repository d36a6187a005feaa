// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type FeedbackHooks = {
  /** Stands in the paths of the hooks. Anybody who has it can reach them: keep it secret. */ ingestKey: string
  /** Below the address of this service. */ paths: {
    /** For a subscription of Amazon SNS, over https. */ ses: string
    /** Takes a mail that came back, as `message/rfc822`. */ mail: string
    /** Takes signed bounces and complaints in JSON. */ events: string
  }
  /** Signs what is sent to the hook of events, by Standard Webhooks: `whsec_…`. */ secret: string
  /** Until when key and secret before the last rotation stay good; null when they are not any more. */ previousUntil: string | null
  /** ARNs of the SNS topics that are believed. None: no message of SNS is. */ sesTopics: Array<string>
  /** The domain of return paths, when the instance has one. */ bounceDomain: string | null
  createdAt: string
  updatedAt: string
}

export type FeedbackHooksChange = {
  sesTopics?: Array<string>
}

export type FeedbackHooksOperations = {
  'GET /feedback-hooks': {
    params: undefined
    query: undefined
    body: undefined
    answer: FeedbackHooks
  }
  'PATCH /feedback-hooks': {
    params: undefined
    query: undefined
    body: FeedbackHooksChange
    answer: FeedbackHooks
  }
  'POST /feedback-hooks/rotate': {
    params: undefined
    query: undefined
    body: undefined
    answer: FeedbackHooks
  }
}
