// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { EmailList, Mailbox } from './shared.ts'

export type AttachmentBody = {
  /** The name of the file. */ fileName: string
  /** Its media type. */ contentType: string
  /** Its bytes in base64. */ content: string
  /** Makes it part of the HTML, which refers to it as `cid:` and this. */ contentId?: string | null
}

export type EmailBatchBody = {
  emails: Array<EmailBody | unknown>
}

export type EmailBatchResults = {
  results: Array<{
    /** Position in the request, from 0. */ index: number
    /** failed: nothing was done. */ status: 'queued' | 'sent' | 'suppressed' | 'failed'
    id?: string
    destination?: string
    /** The fault of a failed item. */ error?: string
  }>
}

export type EmailBody = {
  destination: string | Array<string>
  /** Their name, as it stands in `To`. */ destinationName?: string | null
  /** The template it is made from, unless it has content of its own. */ templateId?: string | null
  /** The same by the key of the template. */ templateKey?: string | null
  /** Content of its own: needs `html` or `text` as well. */ subject?: string | null
  /** HTML or MJML. */ html?: string | null
  /** The same without markup; made from the HTML when absent. */ text?: string | null
  /** Values for Liquid, before those of the contact. With them, `{}` as well, Liquid is applied to content of its own; without them content that has `{{` or `{%` in it is refused, unless `liquid` says what is meant. */ variables?: Record<string, unknown> | null
  /** Of content of its own. true: Liquid is applied to it. false: it goes out as it is, character for character. */ liquid?: boolean | null
  /** Anything that helps to know the message again, at most 4 KiB: read with it, and in the data of its `email.*` events. */ metadata?: Record<string, unknown> | null
  /** The sender: an address of one of your sending domains. */ fromEmail?: string | null
  /** The name beside it. */ fromName?: string | null
  /** Further recipients: `ada@example.com` or `Ada <ada@example.com>`. */ cc?: Array<string> | null
  /** Recipients that the others do not see. */ bcc?: Array<string> | null
  /** Where answers go. */ replyTo?: Array<string> | null
  /** Further header fields. Those that other fields of this body say are refused. */ headers?: Array<{
    /** Its name. */ name: string
    /** Its value. */ value: string
  }> | null
  attachments?: Array<AttachmentBody> | null
  /** Adds a pixel that tells of opens. false when absent. */ trackOpens?: boolean | null
  /** Leads links through us, which tells of clicks. false when absent. */ trackClicks?: boolean | null
  /** When it goes out, within a year; now when absent. */ scheduledAt?: string | null
}

export type EmailDetail = {
  id: string
  /** Its purpose: together with the surface it decides to whom it may go. */ purpose: 'marketing' | 'service' | 'transactional' | 'system'
  /** The way by which it was sent. */ surface: 'broadcast' | 'automation' | 'transactional' | 'confirmation' | 'test'
  /** sent: the mail server took it. skipped: it was not to be sent, `reason` tells why. uncertain: it was handed over and no answer came; it may have arrived. */ status: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** Why, for every status but queued and sent. */ reason: string | null
  /** Empty after an erasure. */ destination: string
  contactId: string | null
  broadcastId: string | null
  automationId: string | null
  templateId: string | null
  /** Before Liquid; null with a template. */ subject: string | null
  /** Attempts that counted; being slowed down by a server counts none. */ attempts: number
  scheduledAt: string | null
  createdAt: string
  settledAt: string | null
  /** First opened by a person. */ openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
  templateVersion: number | null
  destinationName: string | null
  /** Beside the destination, in `To`. */ furtherTo: Array<Mailbox>
  metadata: Record<string, unknown> | null
  /** null: the integration's. */ fromEmail: string | null
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
  /** When it is tried next, while it is queued. */ nextAttemptAt: string | null
  integrationId: string | null
  provider: 'smtp' | 'ses' | null
  /** The provider's id for it. */ providerMessageId: string | null
  /** The last reply of the mail server. */ reply: string | null
  /** Oldest first, at most 500. */ timeline: Array<TimelineEntry>
}

export type QueuedEmail = {
  id: string
  /** suppressed: the address must not be mailed. */ status: 'queued' | 'sent' | 'suppressed'
  /** Normalised. */ destination: string
}

export type ResolveEmailBody = {
  /** `sent`: take it for sent. `retry`: send it again; it may arrive twice. */ as: 'sent' | 'retry'
}

export type TimelineEntry = {
  at: string
  /** attempt: one that did not end with the message accepted. */ type: 'created' | 'attempt' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain' | 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'
  /** Why: of an attempt what the reply means, else the reason of the status. */ reason: string | null
  /** The mail server's reply. */ reply: string | null
  /** The link, of a click. */ url: string | null
  /** Of an open or a click: a scanner or a proxy did it, as far as we see. */ byMachine: boolean | null
}

export type EmailsOperations = {
  'GET /emails': {
    params: undefined
    query: {
  /** Only to this address. */ destination?: string
  /** Only to this contact. */ contactId?: string
  status?: 'queued' | 'sent' | 'failed' | 'suppressed' | 'skipped' | 'uncertain'
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: EmailList
  }
  'GET /emails/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: EmailDetail
  }
  'POST /emails': {
    params: undefined
    query: undefined
    body: EmailBody
    answer: QueuedEmail
  }
  'POST /emails/batch': {
    params: undefined
    query: undefined
    body: EmailBatchBody
    answer: EmailBatchResults
  }
  'POST /emails/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: EmailDetail
  }
  'POST /emails/{id}/resolve': {
    params: { id: string }
    query: undefined
    body: ResolveEmailBody
    answer: EmailDetail
  }
}
