// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type IdentityKey = {
  /** Names the key in the head of a token. */ kid: string
  createdAt: string
}

export type IdentityKeyList = {
  items: Array<IdentityKey>
}

export type NewIdentityKey = {
  /** Names the key in the head of a token. */ kid: string
  /** Shown this once. For your server alone: it signs with this text. */ secret: string
  createdAt: string
}

export type Tracker = {
  id: string
  name: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */ consentMode: 'required' | 'implied' | 'cookieless'
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */ identify: 'signed' | 'unsigned'
  /** Names that browsers may record. Empty: any. */ allowedActions: Array<string>
  /** Names that are refused from browsers, such as order.paid. */ serverOnlyActions: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */ respectGpc: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */ linkIdentity: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */ autoMerge: boolean
  /** Whether what comes in under its key is dropped. */ paused: boolean
  /** For pages; no secret. Sent as `x-collect-key`, or as `key` in the body. */ key: string
  /** Until when the key before the last rotation is good as well. */ previousKeyUntil: string | null
  createdAt: string
  updatedAt: string
}

export type TrackerBody = {
  name: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins?: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */ consentMode?: 'required' | 'implied' | 'cookieless'
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */ identify?: 'signed' | 'unsigned'
  /** Names that browsers may record. Empty: any. */ allowedActions?: Array<string>
  /** Names that are refused from browsers, such as order.paid. */ serverOnlyActions?: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */ respectGpc?: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */ linkIdentity?: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */ autoMerge?: boolean
  /** Whether what comes in under its key is dropped. */ paused?: boolean
}

export type TrackerChange = {
  name?: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */ allowedOrigins?: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */ consentMode?: 'required' | 'implied' | 'cookieless'
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */ identify?: 'signed' | 'unsigned'
  /** Names that browsers may record. Empty: any. */ allowedActions?: Array<string>
  /** Names that are refused from browsers, such as order.paid. */ serverOnlyActions?: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */ respectGpc?: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */ linkIdentity?: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */ autoMerge?: boolean
  /** Whether what comes in under its key is dropped. */ paused?: boolean
}

export type TrackerHealth = {
  /** How many days the numbers are of, today among them. */ days: number
  /** Null: none in these days. */ lastEventAt: string | null
  /** Events that were taken. */ recorded: number
  /** Events that do not fit; the answer named each. */ rejected: number
  /** Events that were answered as if they had been taken. */ dropped: {
    /** Of programs that say what they are, or fetch as no browser does. */ bot: number
    /** Without consent. */ consent: number
    /** With Global Privacy Control, and no consent. */ gpc: number
    /** While the tracker was paused. */ paused: number
  }
  /** Of those who were identified; null: nobody was. */ signedShare: number | null
  /** Pages that are not allowed, the last first. */ refusedOrigins: Array<{
    origin: string
    requests: number
    lastAt: string
  }>
  warnings: Array<'any-origin' | 'paused' | 'origins-refused' | 'no-events'>
}

export type TrackerPage = {
  items: Array<Tracker>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TrackersOperations = {
  'DELETE /trackers/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /trackers/{id}/identity-keys/{kid}': {
    params: { id: string; kid: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /trackers': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TrackerPage
  }
  'GET /trackers/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Tracker
  }
  'GET /trackers/{id}/health': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: TrackerHealth
  }
  'GET /trackers/{id}/identity-keys': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: IdentityKeyList
  }
  'PATCH /trackers/{id}': {
    params: { id: string }
    query: undefined
    body: TrackerChange
    answer: Tracker
  }
  'POST /trackers': {
    params: undefined
    query: undefined
    body: TrackerBody
    answer: Tracker
  }
  'POST /trackers/{id}/identity-keys': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: NewIdentityKey
  }
  'POST /trackers/{id}/rotate-key': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Tracker
  }
}
