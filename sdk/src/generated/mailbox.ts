// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Options } from '../call.ts'
import type { List } from '../list.ts'

export type CaughtMail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */
  readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */
  mailFrom: string
  /** Of the envelope, `bcc` among them. */
  recipients: Array<string>
  sizeBytes: number
}

export type CaughtMailDetail = {
  id: string
  receivedAt: string
  /** When somebody first looked at it, on a page or with `GET`. */
  readAt: string | null
  subject: string
  /** Of the envelope; empty for the null reverse-path. */
  mailFrom: string
  /** Of the envelope, `bcc` among them. */
  recipients: Array<string>
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
  /** At most 524,288 characters; the whole is in the raw message. */
  html: string | null
  text: string | null
  /** Links of the HTML, in their order. */
  links: Array<string>
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
  /** Absent on the last page. */
  nextCursor?: string
}

export type ClearedMailbox = {
  /** How many mails. */
  deleted: number
}

export interface MailboxOperations {
  /** Empty the mailbox. Of all its mail, or of what fits. Needs the scope `emails:send`. */
  clear(query?: {
    /** Only to this address, as the envelope has it. */
    to?: string
    /** Only with this in the subject. */
    subject?: string
    /** Only with this in subject, sender or recipients. */
    search?: string
  }, options?: Options): Promise<ClearedMailbox>

  /** Delete a mail of the mailbox. Needs the scope `emails:send`. */
  delete(id: string, options?: Options): Promise<void>

  /** Read a mail of the mailbox. Both its parts, its headers, its links and what is attached, as its receiver would read it. Needs the scope `emails:send`. */
  get(id: string, options?: Options): Promise<CaughtMailDetail>

  /** List the mail in the mailbox. What was sent through the built-in mail server, newest first. Needs the scope `emails:send`. */
  list(query?: {
    /** Only to this address, as the envelope has it. */
    to?: string
    /** Only with this in the subject. */
    subject?: string
    /** Only with this in subject, sender or recipients. */
    search?: string
    /** nextCursor of the page before. */
    cursor?: string
    limit?: number
  }, options?: Options): List<CaughtMailList>

  /** Wait for a mail. Answers as soon as a mail that fits is there, with the newest; 404 when none is within `timeoutSeconds`. Mail that arrived before counts: give an address of its own to each test, or `after`. Needs the scope `emails:send`. */
  wait(query?: {
    /** Only to this address, as the envelope has it. */
    to?: string
    /** Only with this in the subject. */
    subject?: string
    /** Only with this in subject, sender or recipients. */
    search?: string
    /** Only mail that arrived after this one. */
    after?: string
    /** With 0 it looks once. */
    timeoutSeconds?: number
  }, options?: Options): Promise<CaughtMail>
}
