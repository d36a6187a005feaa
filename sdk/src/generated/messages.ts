// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options } from '../call.ts'
import type { List } from '../list.ts'
import type { EmailList, Mailbox } from './shared.ts'

export type MessageContent = {
  from: Mailbox
  to: Array<Mailbox>
  cc: Array<Mailbox>
  replyTo: Array<Mailbox>
  subject: string
  /** Its links count nothing, and those to unsubscribe stop nothing. */
  html: string | null
  text: string | null
  /** Whether nothing that it is made of has changed since it was sent. Otherwise values of the contact, or the postal address, may have read otherwise. */
  asSent: boolean
}

export type MessageExplanation = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */
  purpose: Open<'marketing' | 'service' | 'transactional' | 'system'>
  /** The way by which it was sent. */
  surface: Open<'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'>
  /** Empty after an erasure. */
  destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  /** Where it stands: `pending` is the status `queued`, `accepted` is `sent`; the others are alike. */
  state: Open<'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'>
  reason: string | null
  /** The rule that has refused it, or will. */
  rule: Open<'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent'> | null
  /** In one sentence. */
  summary: string
  /** As things stand now, in the order in which they count. */
  findings: Array<{
    /** The thing that was looked at. */
    subject: Open<'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'proof' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'>
    /** tells: it neither lets through nor stops, it says how the message fared. */
    verdict: Open<'passes' | 'stops' | 'delays' | 'tells'>
    detail: string
    at: string | null
  }>
}

export interface MessagesOperations {
  /** Read what a message says. As its receiver reads it, rendered again from what it was made of, with links that count nothing; `asSent` says whether that is what was sent to the letter. 409 for a message that nobody else may see (it asks for a consent), whose receiver was erased, or that cannot be rendered. Needs the scope `contacts:read`. */
  content(id: string, options?: Options): Promise<MessageContent>

  /** Explain a message. Why somebody did or did not get a message, of a broadcast or single: one sentence, and everything it follows from as it stands now. Needs the scope `contacts:read`. */
  explain(id: string, options?: Options): Promise<MessageExplanation>

  /** List messages. Everything that was sent, or not sent, by broadcasts and singly, newest first. To an address: messages to the contact that has it now, and single ones to the address itself. With `status`, `surface` or `templateId` a page may hold fewer than `limit` and still have a next one: it looks at 20,000 messages at most. Needs the scope `contacts:read`. */
  list(query?: {
    status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
    /** Only what was sent this way. */
    surface?: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
    /** Only single messages from this template. */
    templateId?: string
    /** Only those of this time on. */
    from?: string
    /** Only those of before this time. */
    to?: string
    /** Only to this address. */
    destination?: string
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<EmailList>
}
