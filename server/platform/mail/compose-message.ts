/** An address with its display name, both as a person reads them (Unicode). */
export type Mailbox = { address: string; name: string | null }

export type Attachment = {
  fileName: string
  /** `application/pdf`. */
  contentType: string
  content: Buffer
  /** Makes it inline: `cid:` in the HTML part refers to it. */
  contentId?: string
}

/** A message before it has its form on the wire. */
export type Draft = {
  /** Without angle brackets. */
  messageId: string
  date: Date
  from: Mailbox
  to: readonly Mailbox[]
  cc?: readonly Mailbox[]
  replyTo?: readonly Mailbox[]
  subject: string
  html: string | null
  text: string | null
  /** Further headers, in order. Names of those above, and of MIME, are refused. */
  headers?: readonly (readonly [name: string, value: string])[]
  attachments?: readonly Attachment[]
}

/** A message in its form on the wire: header fields, each ended by CRLF, and the body after the empty line. */
export type Composed = { head: string; body: Buffer }
