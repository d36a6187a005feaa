// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { EmailList, Mailbox } from './shared.ts'

export type MessageContent = {
  from: Mailbox
  to: Array<Mailbox>
  cc: Array<Mailbox>
  replyTo: Array<Mailbox>
  subject: string
  /** Its links count nothing, and those to unsubscribe stop nothing. */ html: string | null
  text: string | null
  /** Whether nothing that it is made of has changed since it was sent. Otherwise values of the contact, or the postal address, may have read otherwise. */ asSent: boolean
}

export type MessageExplanation = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */ purpose: 'marketing' | 'service' | 'transactional' | 'system'
  /** The way by which it was sent. */ surface: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** Empty after an erasure. */ destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  /** Where it stands: `pending` is the status `queued`, `accepted` is `sent`; the others are alike. */ state: 'pending' | 'accepted' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  reason: string | null
  /** The rule that has refused it, or will. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent' | null
  /** In one sentence. */ summary: string
  /** As things stand now, in the order in which they count. */ findings: Array<{
    /** The thing that was looked at. */ subject: 'purpose' | 'address' | 'suppression' | 'unsubscribes' | 'proof' | 'consent' | 'sender' | 'queue' | 'stream' | 'attempts' | 'delivery'
    /** tells: it neither lets through nor stops, it says how the message fared. */ verdict: 'passes' | 'stops' | 'delays' | 'tells'
    detail: string
    at: string | null
  }>
}

export type MessagesOperations = {
  'GET /messages': {
    params: undefined
    query: {
  status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Only what was sent this way. */ surface?: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** Only single messages from this template. */ templateId?: string
  /** Only those of this time on. */ from?: string
  /** Only those of before this time. */ to?: string
  /** Only to this address. */ destination?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EmailList
  }
  'GET /messages/{id}/content': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: MessageContent
  }
  'GET /messages/{id}/explain': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: MessageExplanation
  }
}
