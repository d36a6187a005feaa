import type { SmtpReply } from './classify-reply.ts'
import { isTooFast, plainText } from './reply-texts.ts'

/** `messages in one connection`, `messages have been sent on this connection`, `emails per session`. */
const OF_A_SESSION =
  /\b(?:messages?|e-?mails?|mails?|transactions?|deliveries|recipients?) (?:\w+ ){0,3}(?:per|in|on|for|over|during) (?:(?:an?|one|this|the|each|your|same|single|smtp) ){0,3}(?:connection|session)/
const ENOUGH = /\b(?:too (?:many|much)|max(?:imum)?|limit|exceed(?:ed|s)?|reached|no more|enough)\b/

/** `said`: the server says that it is for the number of messages. */
export type SessionEnd = 'said' | 'perhaps'

/**
 * Whether a refusal is about the session alone, so that the message is as good as not offered: 421 before a recipient was
 * named, and a session that has had its messages, at whatever step and with whatever code. `carried`: messages that went
 * over the session before. In a new one a server that speaks of a rate means us, not the session.
 */
export function sessionEnd({ code, phase, text }: SmtpReply, carried: number): SessionEnd | null {
  const plain = plainText(text)
  if (carried > 0 && isSpent(plain)) return 'said'
  if (code !== 421 || phase !== 'mail') return null
  return carried > 0 || !isTooFast(plain) ? 'perhaps' : null
}

function isSpent(plain: string): boolean {
  return OF_A_SESSION.test(plain) && ENOUGH.test(plain) && !/\brate\b/.test(plain)
}
