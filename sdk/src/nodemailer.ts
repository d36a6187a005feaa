import type { Client } from './client.ts'
import type { AttachmentBody, EmailBody, QueuedEmail } from './generated/client-families.ts'
import { base64Of } from './signing.ts'
import { VERSION } from './version.ts'

/** The result of `sendMail`. */
export type SentByPostroom = {
  /** The name of the message here, for `emails.get`. */
  id: string
  status: QueuedEmail['status']
  /** As Nodemailer knows the message. The one that is sent has an own, which brings what comes back to it. */
  messageId: string
  envelope: { from: string | false; to: string[] }
  accepted: string[]
  /** All of them when the first one is suppressed. */
  rejected: string[]
  response: string
}

type Callback<Result> = (error: Error | null, result?: Result) => void
type Address = { name?: string; address?: string }
type Content = { filename?: string | false; contentType?: string; cid?: string; content?: unknown; encoding?: string }

/** A mail after Nodemailer's `normalize`. */
type Normalized = {
  [field: string]: unknown
  subject?: string
  html?: string
  text?: string
  from?: Address | null
  to?: Address[] | null
  cc?: Address[] | null
  bcc?: Address[] | null
  replyTo?: Address[] | null
  attachments?: Content[]
  priority?: string
  normalizedHeaders: Record<string, unknown>
  envelope: { from: string | false; to: string[] }
  messageId: string
}

/** The part of Nodemailer's `MailMessage` that is used here. */
type Mail = { data: object; normalize(callback: (error?: Error | null, data?: never) => void): void }

/** A transport for `nodemailer.createTransport(postroom({ client }))`. */
export function postroom({ client }: { client: Pick<Client, 'auth' | 'emails'> }) {
  const verified = async (): Promise<true> => {
    const { scopes } = await client.auth.me()
    if (!scopes.includes('emails:send')) throw new Error('The token lacks the scope emails:send')
    return true
  }
  function verify(): Promise<true>
  function verify(callback: (error: Error | null, success: true) => void): void
  function verify(callback?: (error: Error | null, success: true) => void): Promise<true> | undefined {
    if (!callback) return verified()
    verified().then(
      (success) => callback(null, success),
      (error) => (callback as Callback<true>)(error),
    )
    return undefined
  }
  return {
    name: 'Postroom',
    version: VERSION,
    send(mail: Mail, callback: Callback<SentByPostroom>): void {
      sendMail(client, mail).then(
        (sent) => callback(null, sent),
        (error) => callback(error),
      )
    },
    verify,
  }
}

async function sendMail(client: Pick<Client, 'emails'>, mail: Mail): Promise<SentByPostroom> {
  // Set by `normalize` otherwise, from what the mail says.
  if ('envelope' in mail.data && mail.data.envelope)
    throw new Error('A mail goes to those it names: envelope is not taken')
  const data = await new Promise<Normalized>((resolve, reject) => {
    mail.normalize((error, normalized) => (error ? reject(error) : resolve(normalized as unknown as Normalized)))
  })
  const { envelope, messageId } = data
  const idempotencyKey = await keyOf(messageId, envelope.to)
  const { id, status } = await client.emails.send(bodyOf(data), { idempotencyKey })
  const [accepted, rejected] = status === 'suppressed' ? [[], envelope.to] : [envelope.to, []]
  return { id, status, messageId, envelope, accepted, rejected, response: `${status} ${id}` }
}

/** The same mail to the same people is sent once: repeated within 24 hours it is answered as it was. */
async function keyOf(messageId: string, to: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([messageId, to.toSorted()]))
  return `mail-${base64Of(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`
}

/** Forms of content that a message of ours has no place for: refused, lest a mail arrives without them. */
const REFUSED = ['raw', 'amp', 'watchHtml', 'icalEvent', 'alternatives', 'sender', 'dkim'] as const
const PRIORITIES: Readonly<Record<string, [number: string, word: string]>> = {
  high: ['1 (Highest)', 'High'],
  low: ['5 (Lowest)', 'Low'],
}

function bodyOf(data: Normalized): EmailBody {
  for (const field of REFUSED) if (data[field]) throw new Error(`Postroom does not take ${field} of a mail`)
  const destination = addressesOf(data.to)
  if (destination.length === 0) throw new Error('A mail names somebody in to')
  const { from, subject = '', html, text } = data
  return {
    destination,
    subject,
    ...(html ? { html } : {}),
    ...(text || !html ? { text: text ?? '' } : {}),
    // Whatever looks like Liquid in it is somebody's text.
    liquid: false,
    ...(from?.address ? { fromEmail: from.address } : {}),
    ...(from?.name ? { fromName: from.name } : {}),
    cc: addressesOf(data.cc),
    bcc: addressesOf(data.bcc),
    replyTo: addressesOf(data.replyTo),
    headers: headersOf(data),
    attachments: (data.attachments ?? []).map(attachmentOf),
  }
}

function addressesOf(addresses: readonly Address[] | null | undefined): string[] {
  return (addresses ?? []).flatMap(({ name, address }) => {
    if (!address) return []
    return name ? `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>` : address
  })
}

function headersOf({ normalizedHeaders, priority }: Normalized): { name: string; value: string }[] {
  const own = Object.entries(normalizedHeaders).filter(([name]) => name.toLowerCase() !== 'message-id')
  const [number, word] = PRIORITIES[priority?.toLowerCase() ?? ''] ?? []
  const urgency = number && word ? { 'X-Priority': number, Importance: word } : {}
  return [...own, ...Object.entries(urgency)].map(([name, value]) => ({ name, value: String(value) }))
}

function attachmentOf({ filename, contentType, cid, content, encoding }: Content, n: number): AttachmentBody {
  return {
    fileName: filename || `attachment-${n + 1}`,
    contentType: contentType ?? 'application/octet-stream',
    content: base64OfContent(content, encoding),
    ...(cid ? { contentId: cid } : {}),
  }
}

function base64OfContent(content: unknown, encoding: string | undefined): string {
  if (content instanceof Uint8Array) return base64Of(content)
  if (encoding === 'base64') return String(content)
  if (encoding && !/^utf-?8$/i.test(encoding)) throw new Error(`An attachment in ${encoding} is not taken`)
  return base64Of(new TextEncoder().encode(String(content ?? '')))
}
