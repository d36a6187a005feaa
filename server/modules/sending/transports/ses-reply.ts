import type { SmtpReply } from '../../../platform/mail/classify-reply.ts'
import type { Exchange } from '../../../platform/net/exchange.ts'
import type { Handover } from './transport.ts'

/** A refusal of Amazon SES (API v2, common errors included) in the terms of SMTP: code, enhanced code, phase. */
const REFUSALS: Readonly<Record<string, readonly [number, string, SmtpReply['phase']]>> = {
  TooManyRequestsException: [454, '4.7.0', 'content'],
  ThrottlingException: [454, '4.7.0', 'content'],
  Throttling: [454, '4.7.0', 'content'],
  LimitExceededException: [454, '4.7.0', 'content'],
  MessageRejected: [554, '5.7.1', 'content'],
  BadRequestException: [554, '5.6.0', 'content'],
  // Whole accounts: nobody's mail goes until somebody sets it right.
  SendingPausedException: [535, '5.7.1', 'auth'],
  AccountSuspendedException: [535, '5.7.1', 'auth'],
  MailFromDomainNotVerifiedException: [535, '5.7.1', 'auth'],
  AccessDeniedException: [535, '5.7.8', 'auth'],
  UnrecognizedClientException: [535, '5.7.8', 'auth'],
  InvalidClientTokenId: [535, '5.7.8', 'auth'],
  SignatureDoesNotMatch: [535, '5.7.8', 'auth'],
  InvalidSignatureException: [535, '5.7.8', 'auth'],
  IncompleteSignature: [535, '5.7.8', 'auth'],
  ExpiredTokenException: [535, '5.7.8', 'auth'],
  OptInRequired: [535, '5.7.8', 'auth'],
}
/** Details of a connection that never came to be: not a byte of the request was written. */
const NOT_CONNECTED = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UNPINNED_PEER)$/

type Refusal = { name: string; message: string; from: string; showMessage: boolean }

/** The refusal in an answer with an error. `from`: the address to blame where an identity is not verified. */
export function sesRefusal(status: number, { name, message, from, showMessage }: Refusal): SmtpReply {
  const known = REFUSALS[name]
  // The name of an error is shown; what an endpoint of somebody's choice says beside it is not.
  const text = (showMessage ? `${name}: ${message}` : name).slice(0, 500)
  if (/length is more than|too large|exceeds? .{0,200}size/i.test(message) && status < 500) {
    return { code: 552, enhanced: '5.3.4', text, phase: 'content' }
  }
  if (name === 'MessageRejected' && isUnverified(message, from)) {
    return { code: 535, enhanced: '5.7.1', text, phase: 'auth' }
  }
  if (known !== undefined) {
    const [code, enhanced, phase] = known
    return { code, enhanced, text, phase }
  }
  if (status === 429 || /throttl/i.test(name)) return { code: 454, enhanced: '4.7.0', text, phase: 'content' }
  if (status >= 500) return { code: 451, enhanced: '4.3.0', text, phase: 'content' }
  if (status === 401 || status === 403) return { code: 535, enhanced: '5.7.8', text, phase: 'auth' }
  return { code: 554, enhanced: '5.3.5', text, phase: 'content' }
}

/** In the sandbox the recipient is what is not verified: that one message fails. The sender's is everybody's. */
function isUnverified(message: string, from: string): boolean {
  const named = message.toLowerCase()
  const [, domain = from] = from.toLowerCase().split('@')
  return /not verified/.test(named) && (named.includes(from.toLowerCase()) || named.includes(`: ${domain}`))
}

/** The outcome of a request that Amazon did not answer. */
export function sesUnanswered(exchange: Exclude<Exchange, { outcome: 'answered' }>): Handover {
  if (exchange.outcome === 'refused') return unsent('address_refused', exchange.message)
  const { reason, detail } = exchange
  const connecting = reason === 'timeout' && (detail === 'connecting' || detail === 'handshaking')
  const never = reason === 'connection' && NOT_CONNECTED.test(detail)
  if (reason === 'dns' || reason === 'tls' || connecting || never) {
    return unsent(`${reason}_${detail}`.toLowerCase(), 'Amazon SES could not be reached.')
  }
  return { outcome: 'unanswered', cause: reason === 'timeout' ? 'timeout' : 'connection_lost' }
}

function unsent(cause: string, message: string): Handover {
  return { outcome: 'unsent', cause, message }
}
