import { hash } from 'node:crypto'
import type { Chunk } from './chunks.ts'
import { headerField, literalTokens, oneLine, phraseTokens, TOKEN_CHARS_MAX, textTokens } from './header-text.ts'
import { wireAddress } from './mail-address.ts'
import type { MailText } from './mail-text.ts'
import { type Attachment, attachmentPart, multipart, type Part, textPart } from './mime-parts.ts'

/** An address with its display name, both as a person reads them (Unicode). */
export type Mailbox = { address: string; name: string | null }

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
  html: MailText | null
  text: string | null
  /** Further headers, in order. Names of those above, and of MIME, are refused. */
  headers?: readonly (readonly [name: string, value: string])[]
  attachments?: readonly Attachment[]
}

/** A message in its form on the wire: header fields, each ended by CRLF, and the body after the empty line. */
export type Composed = {
  head: string
  body: readonly Chunk[]
  /** How the characters of the head are bytes: UTF-8 when absent. */
  encoding?: 'latin1'
}

/** A draft that no message can be made of: `field` is where (`from`, `headers/2`, `attachments/0`), the message why. */
export class DraftError extends Error {
  override name = 'DraftError'
  readonly field: string

  constructor(field: string, detail: string) {
    super(`${field} ${detail}`)
    this.field = field
  }
}

const MESSAGE_ID = /^[\w!#$%&'*+\-/=?^`{|}~.]+@[\w.-]+$/
const MESSAGE_ID_CHARS_MAX = 250
/** RFC 5322 section 2.2, without what no program uses; long enough for every registered name. */
const FIELD_NAME = /^[A-Za-z0-9_-]{1,76}$/
/** Fields that the draft has in other places, that describe the body, or that only mail servers write. */
const OWN_FIELD =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|dkim-signature|arc-.*|return-path|received|authentication-results|resent-.*)$/i
/** Fields that programs read as they are, where encoded words have no meaning; each may occur once. */
const MACHINE_FIELD = /^(?:list-.*|in-reply-to|references|auto-submitted|precedence|feedback-id)$/i
const CONTROL = /\p{Cc}/u
/** RFC 2045 section 5.1, with its parameters. Composite types cannot be carried in base64. */
const CONTENT_TYPE =
  /^(?!multipart\/|message\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=(?:[\w!#$&^.+'%*-]+|"[ !#-[\]-~]*"))*$/i
const CONTENT_ID = /^[\w!#$%&'*+\-/=?^`{|}~.@]{1,200}$/

/**
 * The form of a message on the wire. With any draft, the result has the fields of the draft and no others, only
 * CRLF as line break and no line over 998 bytes: text of people (subject, names, file names) is put on one line, anything
 * else that could not stand where it belongs throws a `DraftError`.
 */
export function composeMessage(draft: Draft): Composed {
  const { messageId, date, from, to, cc = [], replyTo = [], subject, headers = [] } = draft
  if (!MESSAGE_ID.test(messageId) || messageId.length > MESSAGE_ID_CHARS_MAX) {
    throw new DraftError('messageId', 'is not a message id')
  }
  if (Number.isNaN(date.getTime())) throw new DraftError('date', 'is not a time')
  if (to.length === 0) throw new DraftError('to', 'names nobody')
  const root = bodyOf(draft)
  const head =
    `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n` +
    addressField('From', [from], 'from') +
    addressField('To', to, 'to') +
    addressField('Cc', cc, 'cc') +
    addressField('Reply-To', replyTo, 'replyTo') +
    headerField('Subject', textTokens(oneLine(subject))) +
    `Message-ID: <${messageId}>\r\n` +
    furtherFields(headers) +
    `MIME-Version: 1.0\r\n${root.fields}`
  return { head, body: [...root.content, '\r\n'] }
}

function addressField(name: string, mailboxes: readonly Mailbox[], field: string): string {
  if (mailboxes.length === 0) return ''
  const tokens = mailboxes.flatMap((mailbox, n) => {
    const address = wireAddress(mailbox.address)
    if (address === undefined) throw new DraftError(field, 'is not an email address')
    const end = n < mailboxes.length - 1 ? ',' : ''
    const displayName = oneLine(mailbox.name ?? '')
    return displayName === '' ? [`${address}${end}`] : [...phraseTokens(displayName), `<${address}>${end}`]
  })
  return headerField(name, tokens)
}

function furtherFields(headers: NonNullable<Draft['headers']>): string {
  const seen = new Set<string>()
  return headers
    .map(([name, value], n) => {
      const refuse = (detail: string) => new DraftError(`headers/${n}`, detail)
      if (!FIELD_NAME.test(name)) throw refuse('has no name that a header can have')
      if (OWN_FIELD.test(name)) throw refuse(`has a name that is not to be given: ${name}`)
      if (CONTROL.test(value) || !value.isWellFormed()) throw refuse('has control characters')
      if (!MACHINE_FIELD.test(name)) return headerField(name, textTokens(value.trim()))
      if (seen.has(name.toLowerCase())) throw refuse(`is there twice: ${name}`)
      seen.add(name.toLowerCase())
      const tokens = literalTokens(value.trim())
      if (tokens === undefined) throw refuse(`is not ASCII text without words over ${TOKEN_CHARS_MAX} characters`)
      return headerField(name, tokens)
    })
    .join('')
}

/** The parts in the nesting that mail programs expect: mixed(alternative(text, related(html, inline)), attached). */
function bodyOf({ messageId, html, text, attachments = [] }: Draft): Part {
  const seed = hash('sha256', messageId, 'base64url').slice(0, 16)
  attachments.forEach(checkAttachment)
  const isInline = ({ contentId }: Attachment) => html !== null && contentId !== undefined
  const alternatives: Part[] = []
  if (text !== null) alternatives.push(textPart('plain', text))
  if (html !== null) {
    const related = [
      textPart('html', html),
      ...attachments.filter(isInline).map((one) => attachmentPart(one, 'inline')),
    ]
    alternatives.push(multipart('related', related, seed))
  }
  const attached = attachments.filter((one) => !isInline(one)).map((one) => attachmentPart(one, 'attachment'))
  if (alternatives.length === 0) {
    if (attached.length === 0) throw new DraftError('text', 'is missing, as is html: the message would say nothing')
    return multipart('mixed', attached, seed)
  }
  return multipart('mixed', [multipart('alternative', alternatives, seed), ...attached], seed)
}

function checkAttachment({ contentType, contentId }: Attachment, n: number): void {
  if (!CONTENT_TYPE.test(contentType) || contentType.length > TOKEN_CHARS_MAX) {
    throw new DraftError(`attachments/${n}`, 'has no content type that a file can have')
  }
  if (contentId !== undefined && !CONTENT_ID.test(contentId)) {
    throw new DraftError(`attachments/${n}`, 'has a content id with other characters than an address')
  }
}
