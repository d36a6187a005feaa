import { parseReply, replyLine } from '../../../platform/mail/read-replies.ts'
import type { SmtpFailure } from '../../../platform/mail/smtp-failure.ts'
import type { SmtpServer } from '../../../platform/mail/smtp-server.ts'
import type { WireEnding } from '../../../platform/mail/smtp-transaction.ts'
import type { WireBreak } from '../../../platform/mail/smtp-wire.ts'
import { tellsSecret } from '../../../platform/telemetry/tells-secret.ts'
import type { Handover } from './transport.ts'

const BREAKS = {
  connection_lost: 'The connection broke before the message was handed over.',
  timeout: 'The server did not answer in time.',
  malformed_reply: 'What the server answered is not SMTP.',
} as const satisfies Record<WireBreak, string>

/** How servers name what they have taken: Postfix, Exim and Exchange, Amazon SES, Gmail; `250 2.0.0 OK id=…`. */
const QUEUE_ID = /\bqueued (?:mail for delivery )?as ([\w.-]{4,100})|\bid=<?([\w.@-]{4,100})|^Ok ([\w-]{16,100})$/i

/** `login`: what the session was opened with. */
export function handoverOf(ending: WireEnding, login: SmtpServer['login']): Handover {
  switch (ending.outcome) {
    case 'accepted': {
      const [, ...ids] = QUEUE_ID.exec(ending.reply.text) ?? []
      const others = ending.refusedOthers.map((reply) => ` (another recipient was refused: ${replyLine(reply)})`)
      const reply = [replyLine(ending.reply), ...others].join('')
      return { outcome: 'accepted', providerMessageId: ids.find((id) => id !== undefined) ?? null, reply }
    }
    case 'refused':
      return { outcome: 'refused', reply: login === null ? ending.reply : { ...ending.reply, isLoggedIn: true } }
    case 'unsent':
      return { outcome: 'unsent', cause: ending.cause, message: BREAKS[ending.cause] }
    default:
      return ending
  }
}

/** The meaning of new sessions that the server ends before it has heard whom a message is for: it is the server's state. */
export function sessionEnded(ending: WireEnding): Handover {
  const said = ending.outcome === 'refused' ? ` (${replyLine(ending.reply)})` : ''
  return { outcome: 'unsent', cause: 'session_ended', message: `The server ends its sessions unasked${said}.` }
}

/**
 * The meaning of a session that did not open, for the message that was to go through it. A refusal in words is one, so
 * that a wrong password is told from a server that is away. Parts of the login that the server repeats are not passed
 * on.
 */
export function unopened({ phase, code, message, reply }: SmtpFailure, login: SmtpServer['login']): Handover {
  if (code === 'auth_not_offered') {
    return { outcome: 'refused', reply: { code: 535, enhanced: '5.7.8', text: message, phase: 'auth' } }
  }
  const said = reply === null ? null : parseReply(reply)
  const refused = phase === 'greeting' || phase === 'ehlo' || phase === 'auth'
  if (refused && said !== null && said.code >= 400) {
    const isTold = login !== null && tellsSecret(said.text, login.password.reveal())
    return { outcome: 'refused', reply: { ...said, text: isTold ? message : said.text, phase } }
  }
  return { outcome: 'unsent', cause: code, message }
}
