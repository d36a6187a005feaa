// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type Tracker = {
  id: string
  name: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */
  allowedOrigins: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */
  consentMode: Open<'required' | 'implied' | 'cookieless'>
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */
  identify: Open<'signed' | 'unsigned'>
  /** Names that browsers may record. Empty: any. */
  allowedActions: Array<string>
  /** Names that are refused from browsers, such as order.paid. */
  serverOnlyActions: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */
  respectGpc: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */
  linkIdentity: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */
  autoMerge: boolean
  /** Whether what comes in under its key is dropped. */
  paused: boolean
  /** For pages; no secret. Sent as `x-collect-key`, or as `key` in the body. */
  key: string
  /** Until when the key before the last rotation is good as well. */
  previousKeyUntil: string | null
  createdAt: string
  updatedAt: string
}

export type TrackerBody = {
  name: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */
  allowedOrigins?: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */
  consentMode?: 'required' | 'implied' | 'cookieless'
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */
  identify?: 'signed' | 'unsigned'
  /** Names that browsers may record. Empty: any. */
  allowedActions?: Array<string>
  /** Names that are refused from browsers, such as order.paid. */
  serverOnlyActions?: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */
  respectGpc?: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */
  linkIdentity?: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */
  autoMerge?: boolean
  /** Whether what comes in under its key is dropped. */
  paused?: boolean
}

export type TrackerChange = {
  name?: string
  /** Pages that may use it, such as https://shop.example or https://*.shop.example. Empty: any. */
  allowedOrigins?: Array<string>
  /** required: nothing is stored in the browser or sent before consent. implied: until it is denied. cookieless: without any id; events count, nobody is recognised. */
  consentMode?: 'required' | 'implied' | 'cookieless'
  /** signed: people are identified by a token of your server alone. unsigned: by what the browser says too, which proves nothing and changes nobody who is known. */
  identify?: 'signed' | 'unsigned'
  /** Names that browsers may record. Empty: any. */
  allowedActions?: Array<string>
  /** Names that are refused from browsers, such as order.paid. */
  serverOnlyActions?: Array<string>
  /** Whether Global Privacy Control counts as a no where consent is implied, until the person grants it. */
  respectGpc?: boolean
  /** Whether a link of a mail of yours tells a page of the allowed origins whose mail it was. Off at first: mails are forwarded. */
  linkIdentity?: boolean
  /** Whether a contact that a page has made becomes part of the one that your server signs in the same browser, where the token names each of its aliases. */
  autoMerge?: boolean
  /** Whether what comes in under its key is dropped. */
  paused?: boolean
}

export type TrackerHealth = {
  /** How many days the numbers are of, today among them. */
  days: number
  /** Null: none in these days. */
  lastEventAt: string | null
  /** Events that were taken. */
  recorded: number
  /** Events that do not fit; the answer named each. */
  rejected: number
  /** Events that were answered as if they had been taken. */
  dropped: {
    /** Of programs that say what they are, or fetch as no browser does. */
    bot: number
    /** Without consent. */
    consent: number
    /** With Global Privacy Control, and no consent. */
    gpc: number
    /** While the tracker was paused. */
    paused: number
  }
  /** Of those who were identified; null: nobody was. */
  signedShare: number | null
  /** Pages that are not allowed, the last first. */
  refusedOrigins: Array<{
    origin: string
    requests: number
    lastAt: string
  }>
  warnings: Array<Open<'any-origin' | 'paused' | 'origins-refused' | 'no-events'>>
}

export type TrackerPage = {
  items: Array<Tracker>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface TrackersOperations {
  /** Create a tracker. With a public key of its own. Nothing before consent, when it is not said otherwise. Needs the scope `trackers:write`. */
  create(body: TrackerBody, options?: PostOptions): Promise<Tagged<Tracker>>

  /** Delete a tracker. What pages send under its key is refused from then on; what came before stays. Needs the scope `trackers:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a tracker. Needs the scope `trackers:read`. */
  get(id: string, options?: Options): Promise<Tagged<Tracker>>

  /** Read how a tracker fares. What came of what pages sent under its key in the last 7 days, to some seconds. Needs the scope `trackers:read`. */
  getHealth(id: string, options?: Options): Promise<TrackerHealth>

  /** List trackers. What pages may record, and from where. Ascending by id. Needs the scope `trackers:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<TrackerPage>

  /** Give a tracker another key. The key it had stays good for 7 days; the one before that, if there is one, ends at once. Needs the scope `trackers:write`. */
  rotateKey(id: string, options?: PostOptions): Promise<Tracker>

  /** Change a tracker. Absent fields stay. It holds within a second. Needs the scope `trackers:write`. */
  update(id: string, body: TrackerChange, options?: GuardedOptions): Promise<Tagged<Tracker>>
}
