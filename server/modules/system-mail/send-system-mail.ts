import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { MINUTE_MS } from '../../platform/durations.ts'
import type { Outcome } from '../../platform/jobs/outcome.ts'
import { composeMessage, type Mailbox } from '../../platform/mail/compose-message.ts'
import { openSmtp, type SmtpDeps } from '../../platform/mail/open-smtp.ts'
import type { SmtpServer } from '../../platform/mail/smtp-server.ts'
import { transact } from '../../platform/mail/smtp-transaction.ts'
import type { SmtpWire } from '../../platform/mail/smtp-wire.ts'
import { beginAttempt, type MailRow, noteFailure, settleMail } from './queries.ts'
import type { RenderedMail } from './render-mail.ts'
import { mailRow } from './system-mailer.ts'

/** From the first to the last command of a message; a mail of ours is a few kilobytes. */
const SEND_TIMEOUT_MS = 60_000
const RETRY_FIRST_MS = 5_000
const RETRY_MAX_MS = 15 * MINUTE_MS

export type SendDeps = {
  pool: pg.Pool
  secrets: SecretBox
  smtp: SmtpDeps
  /** Undefined where the instance sends no mail. */
  server: SmtpServer | undefined
  from: string
}

/** A failure of the mail server, as the job queue and the operator see it. */
class SystemMailError extends Error {
  override readonly name = 'SystemMailError'
}

/**
 * Sends one mail of the system. After any failure, a refusal for good included, it is tried again for as long as its
 * words are of use: most refusals end when the operator corrects the settings. A repeat after an answer that was lost has
 * the same Message-ID.
 */
export async function sendSystemMail(deps: SendDeps, mailId: string): Promise<Outcome> {
  const mail = await beginAttempt(deps.pool, mailId)
  if (mail === undefined) return { outcome: 'ok' }
  if (deps.server === undefined) {
    await settleMail(deps.pool, mailId, { state: 'kept', error: null })
    return { outcome: 'ok' }
  }
  if (mail.isOver) {
    await settleMail(deps.pool, mailId, { state: 'failed', error: mail.error ?? 'not sent in time' })
    return { outcome: 'ok' }
  }
  const error = await deliver(deps, deps.server, mail)
  if (error === undefined) {
    await settleMail(deps.pool, mailId, { state: 'sent', error: null })
    return { outcome: 'ok' }
  }
  await noteFailure(deps.pool, mailId, error)
  return { outcome: 'error', error: new SystemMailError(error) }
}

/** 5 s, doubled each time, up to a quarter of an hour. */
export function retryDelayMs(attempt: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(attempt - 1, 20))
}

/** The failure, in words without the recipient and the content; undefined when the server has taken the mail. */
async function deliver(deps: SendDeps, server: SmtpServer, mail: MailRow): Promise<string | undefined> {
  const bytes = compose(deps, mail)
  const session = await openSmtp(deps.smtp, server)
  if (session.outcome === 'failed') return `${session.code}: ${session.message}`
  const envelope = { from: mailboxOf(deps.from).address, to: [mail.recipient] }
  return handOver(session.wire, { envelope, bytes, beforeContent: async () => true })
}

/** The server's words may repeat the address, its codes (RFC 3463) do not. */
async function handOver(wire: SmtpWire, message: Parameters<typeof transact>[1]): Promise<string | undefined> {
  let inTime = true
  const timer = setTimeout(() => {
    inTime = false
    wire.destroy()
  }, SEND_TIMEOUT_MS)
  const ending = await transact(wire, message).finally(() => clearTimeout(timer))
  wire.quit()
  if (ending.outcome === 'accepted') return undefined
  if (ending.outcome === 'refused') return `refused: ${ending.reply.code} ${ending.reply.enhanced ?? ''}`.trimEnd()
  return inTime ? 'not_sent: the connection ended' : 'send_timeout: the server did not take the message in time'
}

function compose({ secrets, from }: SendDeps, mail: MailRow): Buffer {
  const { text, html } = JSON.parse(secrets.open(mail.content ?? '', mailRow(mail.id))) as RenderedMail
  const { head, body } = composeMessage({
    from: mailboxOf(from),
    to: [{ address: mail.recipient, name: null }],
    subject: mail.subject,
    text,
    html,
    messageId: mail.messageId.replace(/^<|>$/g, ''),
    date: new Date(mail.createdAt),
    // RFC 3834 section 5: nobody's absence notice answers it.
    headers: [
      ['Auto-Submitted', 'auto-generated'],
      ['X-Auto-Response-Suppress', 'All'],
    ],
  })
  return Buffer.concat([`${head}\r\n`, ...body].map((chunk) => Buffer.from(chunk as string)))
}

/** `Name <address>`, or a bare address. */
function mailboxOf(from: string): Mailbox {
  const [, name, address] = /^(?:(.*) )?<([^<>]+)>$/.exec(from) ?? [undefined, undefined, from]
  return { name: name ?? null, address }
}
