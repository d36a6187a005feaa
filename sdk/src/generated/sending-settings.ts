// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Options, Tagged } from '../call.ts'

export type SendingSettings = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */
  doubleOptIn: boolean
  /** HTML mail holds a picture that tells when it is opened. */
  trackOpens: boolean
  /** Links in mail lead by way of this service. */
  trackClicks: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */
  postalAddress: string | null
  /** The hours at which nobody is mailed, by the clock of each person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */
  quietHours: {
    from: string
    until: string
    /** The time zone of people who have none of their own. */
    zone: string
  } | null
  /** So many mails within so many days a person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */
  frequencyCap: {
    messages: number
    days: number
    /** How long a mail without room waits for it. Then it is skipped, as `frequency_cap`. */
    waitHours: number
  } | null
  /** null while they are as a new workspace has them. */
  updatedAt: string | null
}

export type SendingSettingsChange = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */
  doubleOptIn?: boolean
  /** HTML mail holds a picture that tells when it is opened. */
  trackOpens?: boolean
  /** Links in mail lead by way of this service. */
  trackClicks?: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */
  postalAddress?: string | null
  /** The hours at which nobody is mailed, by the clock of each person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */
  quietHours?: {
    from: string
    until: string
    /** The time zone of people who have none of their own. */
    zone: string
  } | null
  /** So many mails within so many days a person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */
  frequencyCap?: {
    messages: number
    days: number
    /** How long a mail without room waits for it. Then it is skipped, as `frequency_cap`. */
    waitHours: number
  } | null
}

export interface SendingSettingsOperations {
  /** Read how the workspace sends. Double opt-in, what is tracked, the postal address, quiet hours and how often one person is written to. With its entity tag, for `If-Match`. Needs the scope `integrations:read`. */
  get(options?: Options): Promise<Tagged<SendingSettings>>

  /** Change how the workspace sends. Absent fields stay, null clears. Switching double opt-in on counts everybody who is a contact then as having agreed (`grandfathered` in their consent history), within moments; only who is new is asked. Mail that is already queued heeds the change. Needs the scope `integrations:write`. */
  update(body: SendingSettingsChange, options?: GuardedOptions): Promise<Tagged<SendingSettings>>
}
