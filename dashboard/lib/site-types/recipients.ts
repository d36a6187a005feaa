// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type BroadcastRecipient = {
  messageId: string
  /** Null when the contact was erased. */ contactId: string | null
  /** Empty when the contact has no address, or was erased. */ destination: string
  /** As the report counts it. The status of a message calls `pending` `queued` and `accepted` `sent`. */ state: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Why, for every state but pending and accepted. */ reason: string | null
  /** The rule that has refused the message. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent' | null
  attempts: number
  /** The last reply of the server. */ reply: string | null
  settledAt: string | null
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export type BroadcastRecipientExplanation = {
  contactId: string
  /** The message to them; null while, or because, there is none. */ messageId: string | null
  /** Whether they get it, as things stand. */ wouldGet: boolean
  /** The rule that stands against it. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent' | null
  /** In one sentence. */ summary: string
  findings: Array<{
    /** The thing that was looked at: the last ones are those of a message. */ subject: 'audience' | 'exclusion' | 'rules' | 'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'proof' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'
    verdict: 'passes' | 'stops' | 'delays' | 'tells'
    detail: string
  }>
}

export type BroadcastRecipientList = {
  items: Array<BroadcastRecipient>
  /** Absent on the last page. A page of a rare kind may have fewer items, or none, before it. */ nextCursor?: string
}

export type RecipientsOperations = {
  'GET /broadcasts/{id}/recipients': {
    params: { id: string }
    query: {
  /** Only those of whom a person clicked the link at this position (`links` of the report). */ link?: number
  state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only those with this reason. */ reason?: string
  /** Only those of whom this came back. */ mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Only this contact. */ contactId?: string
  /** Only this address. */ destination?: string
  /** The `nextCursor` of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: BroadcastRecipientList
  }
  'GET /broadcasts/{id}/recipients/export': {
    params: { id: string }
    query: {
  /** Only those of whom a person clicked the link at this position (`links` of the report). */ link?: number
  state?: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only those with this reason. */ reason?: string
  /** Only those of whom this came back. */ mark?: 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Only this contact. */ contactId?: string
  /** Only this address. */ destination?: string
}
    body: undefined
    answer: string
  }
  'GET /broadcasts/{id}/recipients/{contactId}/explain': {
    params: { id: string; contactId: string }
    query: undefined
    body: undefined
    answer: BroadcastRecipientExplanation
  }
}
