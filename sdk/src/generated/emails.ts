// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { EmailList, Mailbox } from './shared.ts'

export type AttachmentBody = {
  /** The name of the file. */
  fileName: string
  /** Its media type. */
  contentType: string
  /** Its bytes in base64. */
  content: string
  /** Makes it part of the HTML, which refers to it as `cid:` and this. */
  contentId?: string | null
}

export type EmailBatchBody = {
  emails: Array<EmailBody>
}

export type EmailBatchResults = {
  results: Array<{
    /** Position in the request, from 0. */
    index: number
    /** failed: nothing was done. */
    status: Open<'queued' | 'sent' | 'suppressed' | 'failed'>
    id?: string
    destination?: string
    /** The fault of a failed item. */
    error?: string
  }>
}

export type EmailBody = {
  destination: string | Array<string>
  /** Their name, as it stands in `To`. */
  destinationName?: string | null
  /** The template it is made from, unless it has content of its own. */
  templateId?: string | null
  /** The same by the key of the template. */
  templateKey?: string | null
  /** Content of its own: needs `html` or `text` as well. */
  subject?: string | null
  /** HTML or MJML. */
  html?: string | null
  /** The same without markup; made from the HTML when absent. */
  text?: string | null
  /** Values for Liquid, before those of the contact. With them, `{}` as well, Liquid is applied to content of its own; without them content that has `{{` or `{%` in it is refused, unless `liquid` says what is meant. */
  variables?: Record<string, unknown> | null
  /** Of content of its own. true: Liquid is applied to it. false: it goes out as it is, character for character. */
  liquid?: boolean | null
  /** Anything that helps to know the message again, at most 4 KiB: read with it, and in the data of its `email.*` events. */
  metadata?: Record<string, unknown> | null
  /** The sender: an address of one of your sending domains. */
  fromEmail?: string | null
  /** The name beside it. */
  fromName?: string | null
  /** Further recipients: `ada@example.com` or `Ada <ada@example.com>`. */
  cc?: Array<string> | null
  /** Recipients that the others do not see. */
  bcc?: Array<string> | null
  /** Where answers go. */
  replyTo?: Array<string> | null
  /** Further header fields. Those that other fields of this body say are refused. */
  headers?: Array<{
    /** Its name. */
    name: string
    /** Its value. */
    value: string
  }> | null
  attachments?: Array<AttachmentBody> | null
  /** Adds a pixel that tells of opens. false when absent. */
  trackOpens?: boolean | null
  /** Leads links through us, which tells of clicks. false when absent. */
  trackClicks?: boolean | null
  /** When it goes out, within a year; now when absent. */
  scheduledAt?: string | null
}

export type EmailDetail = {
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
  templateVersion: number | null
  destinationName: string | null
  /** Beside the destination, in `To`. */
  furtherTo: Array<Mailbox>
  metadata: Record<string, unknown> | null
  /** null: the integration's. */
  fromEmail: string | null
  fromName: string | null
  cc: Array<Mailbox>
  bcc: Array<string>
  replyTo: Array<Mailbox>
  headers: Array<{
    name: string
    value: string
  }>
  attachments: Array<{
    fileName: string
    contentType: string
    contentId: string | null
    sizeBytes: number
  }>
  /** When it is tried next, while it is queued. */
  nextAttemptAt: string | null
  integrationId: string | null
  provider: Open<'smtp' | 'ses'> | null
  /** The provider's id for it. */
  providerMessageId: string | null
  /** The last reply of the mail server. */
  reply: string | null
  /** Oldest first, at most 500. */
  timeline: Array<TimelineEntry>
}

export type QueuedEmail = {
  id: string
  /** suppressed: the address must not be mailed. */
  status: Open<'queued' | 'sent' | 'suppressed'>
  /** Normalised. */
  destination: string
}

export type ResolveEmailBody = {
  /** `sent`: take it for sent. `retry`: send it again; it may arrive twice. */
  as: 'sent' | 'retry'
}

export type TimelineEntry = {
  at: string
  /** attempt: one that did not end with the message accepted. */
  type: Open<'created' | 'attempt' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain' | 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'>
  /** Why: of an attempt what the reply means, else the reason of the status. */
  reason: string | null
  /** The mail server's reply. */
  reply: string | null
  /** The link, of a click. */
  url: string | null
  /** Of an open or a click: a scanner or a proxy did it, as far as we see. */
  byMachine: boolean | null
}

export interface EmailsOperations {
  /** Cancel a message. Takes a queued message back, such as a scheduled one. One that is being sent comes to its own end. Needs the scope `emails:send`. */
  cancel(id: string, options?: PostOptions): Promise<Tagged<EmailDetail>>

  /** Read a message. Any message by its id, also one of a broadcast: what it says, where it stands, all that happened to it. Needs the scope `emails:send`. */
  get(id: string, options?: Options): Promise<Tagged<EmailDetail>>

  /** List single messages. Transactional and test messages, newest first; those of a broadcast are under it. With `status` a page may hold fewer than `limit` and still have a next one. Needs the scope `emails:send`. */
  list(query?: {
    /** Only to this address. */
    destination?: string
    /** Only to this contact. */
    contactId?: string
    status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<EmailList>

  /** Decide on a message whose fate nobody knows. For a single message with the status `uncertain`: it was handed over, no answer came, and it is not sent again by itself. Taken for sent it is told of with `email.sent`. 409 when it is not uncertain. Needs the scope `emails:send`. */
  resolve(id: string, body: ResolveEmailBody, options?: PostOptions): Promise<Tagged<EmailDetail>>

  /** Send a message. Sends a message to one person, from a template or with content of its own, now or at a time within a year. 202 means that it is queued for good; it goes out once, and never waits behind a broadcast. Suppressed addresses are not mailed; who unsubscribed from marketing mail still is, for this is not marketing mail. Give an `Idempotency-Key` so that a repeated request sends nothing twice. Needs the scope `emails:send`. */
  send(body: EmailBody, options?: PostOptions): Promise<QueuedEmail>

  /** Send messages one by one. Queues those of up to 100 items that are messages, all at once, and answers what became of each. A failed item does not hold up the others. Needs the scope `emails:send`. */
  sendBatch(body: EmailBatchBody, options?: PostOptions): Promise<EmailBatchResults>
}
