import { assertNever } from '../../platform/assert-never.ts'
import { classifyReply, type ReplyClass, type SmtpReply } from '../../platform/mail/classify-reply.ts'
import type { FailureReason } from '../sending/message-states.ts'

/** Whether a bounce means the address: for good, not, or only when it is told again days later. */
export type Cause = 'permanent' | 'transient' | 'unsure'

/** Something that came back, from whatever side, once it is believed. */
export type FeedbackItem = {
  /** The same for a repeat of the same. */
  key: string
  source: 'mail' | 'ses' | 'hook'
  /** The message that it is about, known beyond doubt; null where only the address is. */
  messageId: string | null
  /** Addresses it says it is about, normalised; none where the report hides them, which only a known message makes good. */
  addresses: readonly string[]
  /** The reason as it was given, for people: `550 5.1.1 User unknown`. */
  detail: string | null
  /** When it came about, as its provider says (RFC 3339, UTC); absent where only its arrival is known. */
  occurredAt?: string
  /** A mail that nobody could read: `detail` is its text, and it never confirms that an address is gone. */
  isUnread?: true
  /** Anybody could have said it who has seen the mail: it is kept to be read, and nothing follows from it. */
  isHearsay?: true
} & ({ kind: 'complaint' } | { kind: 'bounce'; cause: Cause; reason: FailureReason })

/** RFC 5965 section 7.3: these say that nothing is wrong with the mail, or that a forger sent it. */
export const NO_COMPLAINTS: ReadonlySet<unknown> = new Set(['not-spam', 'auth-failure'])

const DETAIL_CHARS_MAX = 500

/** The meaning of a refusal that came back: only that there is no such person or domain suppresses an address. */
export function bounceOf(reply: SmtpReply): { cause: Cause; reason: FailureReason } {
  const kind = classifyReply(reply)
  const cause = kind === 'address' ? 'permanent' : kind === 'address_later' ? 'unsure' : 'transient'
  return { cause, reason: reasonOf(kind) }
}

function reasonOf(kind: ReplyClass): FailureReason {
  switch (kind) {
    case 'address':
    case 'address_later':
      return 'address_refused'
    case 'mailbox_full':
      return 'mailbox_full'
    case 'content':
      return 'content_refused'
    case 'policy':
    case 'credentials':
      return 'policy_refused'
    case 'protocol':
      return 'protocol_refused'
    case 'host':
      return 'host_refused'
    case 'accepted':
    case 'throttled':
    case 'transient':
    case 'closing':
      return 'expired'
    default:
      return assertNever(kind)
  }
}

export function detailOf({ code, enhanced, text }: SmtpReply): string {
  return detailText([code, enhanced, text].filter(Boolean).join(' '))
}

/** As the database holds it: one line without U+0000, well-formed, not too long. */
export function detailText(text: string): string {
  return text
    .replaceAll(/[\0\s]+/g, ' ')
    .trim()
    .slice(0, DETAIL_CHARS_MAX)
    .toWellFormed()
}
