// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type CaughtMail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */ readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */ mailFrom: string
  /** Of the envelope, `bcc` among them. */ recipients: Array<string>
  sizeBytes: number
}

export type CaughtMailDetail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */ readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */ mailFrom: string
  /** Of the envelope, `bcc` among them. */ recipients: Array<string>
  sizeBytes: number
  from: {
    name: string | null
    address: string
  } | null
  to: Array<{
    name: string | null
    address: string
  }>
  cc: Array<{
    name: string | null
    address: string
  }>
  replyTo: Array<{
    name: string | null
    address: string
  }>
  /** At most 524,288 characters; the whole is in the raw message. */ html: string | null
  text: string | null
  /** Links of the HTML, in their order. */ links: Array<string>
  headers: Array<{
    name: string
    value: string
  }>
  attachments: Array<{
    fileName: string | null
    contentType: string
    contentId: string | null
    sizeBytes: number
  }>
}

export type CaughtMailList = {
  items: Array<CaughtMail>
  /** Absent on the last page. */ nextCursor?: string
}

export type ClearedMailbox = {
  /** How many mails. */ deleted: number
}

export type MailboxOperations = {
  'DELETE /mailbox': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
}
    body: undefined
    answer: ClearedMailbox
  }
  'DELETE /mailbox/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /mailbox': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
  /** nextCursor of the page before. */ cursor?: string
  limit?: number
}
    body: undefined
    answer: CaughtMailList
  }
  'GET /mailbox/wait': {
    params: undefined
    query: {
  /** Only to this address, as the envelope has it. */ to?: string
  /** Only with this in the subject. */ subject?: string
  /** Only with this in subject, sender or recipients. */ search?: string
  /** Only mail that arrived after this one. */ after?: string
  /** With 0 it looks once. */ timeoutSeconds?: number
}
    body: undefined
    answer: CaughtMail
  }
  'GET /mailbox/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: CaughtMailDetail
  }
}
