// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open } from '../call.ts'

export type AutomationRunStep = {
  /** Counted from 1; 0 is the entry. */
  visit: number
  /** The id of the node. */
  node: string | null
  version: number
  /** By which way it left, or how it ended here. */
  way: string
  /** The id of the node. */
  next: string | null
  /** By the run’s own clock. */
  cameAt: string
  leftAt: string
  /** When it was done, by the clock on the wall. */
  doneAt: string
  eventId: string | null
  /** The name of that event; null as well once it is kept no more. */
  event: string | null
  /** What decided: of a branch which rules held (`holds`) and the `values` they asked for by then, of a split the `share`, of a mail its `messageId`. */
  seen: Record<string, unknown> | null
}

export type Contact = {
  id: string
  /** Your own id of the person; unique in the workspace. */
  subjectId: string | null
  /** Unique in the workspace; stored in lower case. */
  email: string | null
  /** Unique in the workspace. */
  phone: string | null
  /** Given name. */
  firstName: string | null
  /** Family name. */
  lastName: string | null
  /** IANA time zone. */
  timeZone: string | null
  customFields: Record<string, unknown>
  createdAt: string
  updatedAt: string
  /** Names of its tags, by name; the first 200 of more, which `/tags` has all. */
  tags: Array<string>
  /** The consent to marketing mail; null when none is known. */
  consent: {
    /** How it is known; double_opt_in: we have seen it confirmed. */
    provenance: Open<'double_opt_in' | 'grandfathered' | 'imported'>
    optedInAt: string | null
    confirmedAt: string | null
  } | null
  /** Topics that a word was said about; of the others `subscription` decides. */
  topics: Array<{
    topicId: string
    name: string
    state: Open<'subscribed' | 'unsubscribed'>
  }>
  /** Sending sources that the address wants no more of. */
  unsubscribedFrom: Array<string>
  /** Whether its address was stated by a page alone: it is not mailed until it is proven. */
  isUnproven: boolean
  /** Why the address is mailed nothing at all; null when it is mailed. */
  suppression: {
    reason: Open<'bounce' | 'complaint' | 'manual'>
    createdAt: string
  } | null
}

export type Email = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */
  purpose: Open<'marketing' | 'service' | 'transactional' | 'system'>
  /** The way by which it was sent. */
  surface: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  /** sent: the mail server took it. skipped: it was not to be sent, `reason` tells why. uncertain: it was handed over and no answer came; it may have arrived. */
  status: Open<'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'>
  /** Why, for every status but queued and sent. */
  reason: string | null
  /** Empty after an erasure. */
  destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  templateId: string | null
  /** Before Liquid; null with a template. */
  subject: string | null
  /** Attempts that counted; being slowed down by a server counts none. */
  attempts: number
  scheduledAt: string | null
  createdAt: string
  settledAt: string | null
  /** First opened by a person. */
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export type EmailList = {
  items: Array<Email>
  /** Absent on the last page. */
  nextCursor?: string
}

export type MailCounts = {
  /** Messages that a mail server or provider has accepted. */
  accepted: number
  /** Messages that failed for good. */
  failed: number
  /** Messages that came back. */
  bounced: number
  /** Messages that were reported as spam. */
  complained: number
  /** Messages opened by people, each counted once, when it was first opened. */
  openedByPeople: number
  /** Messages whose picture a machine fetched, likewise. */
  openedByMachines: number
  /** Messages with a link clicked by people, likewise. */
  clickedByPeople: number
  /** Messages with a link that a machine followed, likewise. */
  clickedByMachines: number
  /** Messages whose reader has unsubscribed through them. */
  unsubscribed: number
}

export type MailPoint = {
  /** The beginning of the hour or day. */
  at: string
  /** Messages that a mail server or provider has accepted. */
  accepted: number
  /** Messages that failed for good. */
  failed: number
  /** Messages that came back. */
  bounced: number
  /** Messages that were reported as spam. */
  complained: number
  /** Messages opened by people, each counted once, when it was first opened. */
  openedByPeople: number
  /** Messages whose picture a machine fetched, likewise. */
  openedByMachines: number
  /** Messages with a link clicked by people, likewise. */
  clickedByPeople: number
  /** Messages with a link that a machine followed, likewise. */
  clickedByMachines: number
  /** Messages whose reader has unsubscribed through them. */
  unsubscribed: number
}

export type Mailbox = {
  address: string
  name: string | null
}

export type Tag = {
  id: string
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */
  name: string
  createdAt: string
}

export type TagBody = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */
  name: string
}

export type TagPage = {
  items: Array<Tag>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}
