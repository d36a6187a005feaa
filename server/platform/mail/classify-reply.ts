import {
  causeInText,
  isListedOrUnwanted,
  isLoginMissing,
  isRelayingRefused,
  isSenderRefused,
  isSendingQuota,
  isTooFast,
  isTooManyRecipients,
  plainText,
} from './reply-texts.ts'

/** A reply of a mail server (RFC 5321 section 4.2), or of an API in the same terms. */
export type SmtpReply = {
  /** 421, 550 … */
  code: number
  /** RFC 3463: `5.1.1`; null where the server gave none. */
  enhanced: string | null
  /** The text of all lines, without the codes; at most 500 characters. */
  text: string
  phase: 'greeting' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'content'
  /** Said over a session whose login the server has taken. */
  isLoggedIn?: boolean
}

/** Meanings of a reply for the message, its receiver, and the sender. */
export const REPLY_CLASSES = [
  'accepted',
  /** The server is asked for more than it gives: slower, and again. It is nobody's attempt. */
  'throttled',
  /** Again later. */
  'transient',
  /** The server ends the connection (421): again later, and nothing to this receiver's domain meanwhile. */
  'closing',
  /** We are not let in as who we say we are: nothing goes until somebody sets that right. */
  'credentials',
  /** There is no such person, domain or form of address. The only class that says so for good. */
  'address',
  /** The mailbox is there and closed (5.2.1): for good when it says so again, days later. */
  'address_later',
  /** The mailbox takes nothing at present, although the refusal is final. */
  'mailbox_full',
  /** The message: its size, its form, what is in it. */
  'content',
  /** The sender: reputation, authentication, permission. Never the person written to. */
  'policy',
  /** Our commands are not understood. */
  'protocol',
  /** The receiving system takes no mail from us, has no way on, or a fault of its own. */
  'host',
] as const
export type ReplyClass = (typeof REPLY_CLASSES)[number]

/**
 * The meaning of a reply. The first digit of its code decides whether it is final, the enhanced code (RFC 3463, IANA's
 * registry) what it is about, whatever class digit that has; the text decides only where the codes leave it open. In
 * doubt it is the sender's fault: that one costs nobody their mail.
 */
export function classifyReply(reply: SmtpReply): ReplyClass {
  switch (Math.floor(reply.code / 100)) {
    case 2:
      return 'accepted'
    case 4:
      return temporaryClass(reply, plainText(reply.text))
    case 5:
      return aboutSender(reply, permanentClass(reply, plainText(reply.text)))
    default:
      return 'protocol'
  }
}

/** Rate of unsolicited mail (Gmail), congestion. */
const THROTTLING_CAUSES = new Set(['7.28', '4.5'])
/** Of the address (1) and of the mailbox (2): a rate in these is the receiving person's, not ours. */
const SUBJECTS_OF_RECEIVERS = new Set(['1', '2'])

function temporaryClass({ code, enhanced, phase }: SmtpReply, plain: string): ReplyClass {
  const [subject, cause] = partsOf(enhanced)
  // RFC 4954 section 6: the login cannot be checked now. No message was at stake.
  if (phase === 'auth') return 'throttled'
  const ofReceiver = SUBJECTS_OF_RECEIVERS.has(subject)
  if (THROTTLING_CAUSES.has(cause) || (!ofReceiver && isTooFast(plain))) return 'throttled'
  if (code === 421) return phase === 'greeting' || phase === 'ehlo' ? 'throttled' : 'closing'
  // Amazon SES and others say "too fast" with it, wherever it is no answer to STARTTLS and no refusal to relay.
  const tooFast = code === 454 && phase !== 'ehlo' && !ofReceiver && !isRelayingRefused(plain)
  return tooFast ? 'throttled' : 'transient'
}

/** RFC 4954, RFC 5248: authentication, its strength, its encryption. */
const CREDENTIAL_CODES: ReadonlySet<number> = new Set([523, 524, 525, 530, 534, 535, 538])

function permanentClass(reply: SmtpReply, plain: string): ReplyClass {
  const { code, enhanced, phase } = reply
  if (CREDENTIAL_CODES.has(code) || phase === 'auth') return aboutLogin(reply)
  if (phase === 'greeting' || phase === 'ehlo') return 'host'
  if (code === 521) return isListedOrUnwanted(plain) ? 'policy' : 'host'
  // RFC 7504, RFC 7505: the domain takes no mail.
  if (code === 556) return 'address'
  const [subject, cause] = partsOf(enhanced)
  if (cause !== '1.1' && cause !== '2.2' && isSendingQuota(plain)) return 'throttled'
  const atCommand = phase === 'mail' || phase === 'rcpt'
  if (atCommand && (LOGIN_CAUSES.has(cause) || (LOGIN_IS_OPEN.has(cause) && isLoginMissing(plain))))
    return aboutLogin(reply)
  const told = CAUSES[cause]
  if (told !== undefined) return refined(told, cause, plain)
  if (cause === '7.1' && causeInText(plain) === 'address') return 'address'
  if (subject !== '0' && DETAIL_IS_OPEN.has(cause)) return causeInText(plain) ?? SUBJECTS[subject] ?? 'policy'
  return SUBJECTS[subject] ?? withoutCause(reply, plain)
}

/** RFC 4954, RFC 5248. To the content Yahoo says 5.7.9 of a message it does not like. */
const LOGIN_CAUSES = new Set(['7.8', '7.9', '7.10', '7.11', '7.12', '7.13'])
/** Codes that servers give to a missing login, and to much else. */
const LOGIN_IS_OPEN = new Set(['0.0', '5.0', '5.1', '7.0', '7.1'])

/**
 * A refusal in the words of a login. Once the server has taken ours and the sender, it is about the one person who was
 * named: whose account is disabled, or to whom only some may write. All others must not wait for that.
 */
function aboutLogin({ code, enhanced, phase, isLoggedIn }: SmtpReply): ReplyClass {
  if (phase === 'rcpt' && (code === 525 || partsOf(enhanced)[1] === '7.13')) return 'address_later'
  const isNamed = phase === 'rcpt' || phase === 'data' || phase === 'content'
  return isNamed && isLoggedIn ? 'policy' : 'credentials'
}

/** Enhanced codes that say what a final refusal is about: IANA's registry, and what large providers add to it. */
const CAUSES: Readonly<Record<string, ReplyClass>> = {
  '1.1': 'address',
  '1.2': 'address',
  '1.3': 'address',
  '1.4': 'address_later',
  '1.6': 'address',
  '1.9': 'host',
  '1.10': 'address',
  // Exchange Online of a recipient that the next server does not know.
  '1.351': 'address',
  '2.1': 'address_later',
  '2.2': 'mailbox_full',
  '2.3': 'content',
  '2.4': 'host',
  '3.3': 'protocol',
  '3.4': 'content',
  // Exchange Online of a recipient that its directory does not have; of others: no answer from the host.
  '4.1': 'host',
  // No way to the domain: by its text there is no such domain, otherwise there may be one tomorrow.
  '4.4': 'address_later',
  // RFC 7293: the mailbox has changed hands.
  '7.17': 'address',
  '7.18': 'address',
}

/** The class of each subject's other codes. */
const SUBJECTS: Readonly<Record<string, ReplyClass>> = {
  '1': 'policy',
  '2': 'policy',
  '3': 'host',
  '4': 'host',
  '5': 'protocol',
  '6': 'content',
  '7': 'policy',
}

/** "Other or undefined", and full systems that may be full mailboxes: here a text may say more than the code. */
const DETAIL_IS_OPEN = new Set(['1.0', '2.0', '3.0', '3.1', '5.0'])

function refined(told: ReplyClass, cause: string, plain: string): ReplyClass {
  switch (cause) {
    // Some write these of a sender who is on a list, sends too much, or is not wanted.
    case '1.1':
    case '1.3':
      return isListedOrUnwanted(plain) || isTooFast(plain) ? 'policy' : told
    case '2.1': {
      // A mailbox that is closed to us alone, one that is written to too often, one that is none.
      if (isSenderRefused(plain)) return 'policy'
      const said = causeInText(plain)
      return said === 'mailbox_full' || said === 'address' ? said : told
    }
    case '4.1':
      return /\brecipient address(?:es)? rejected\b/.test(plain) ? 'address_later' : told
    case '4.4': {
      const said = causeInText(plain)
      return said === 'address' || said === 'host' || said === 'policy' ? said : told
    }
    default:
      return told
  }
}

/** A final refusal whose enhanced code is missing or says nothing. */
function withoutCause({ code, phase }: SmtpReply, plain: string): ReplyClass {
  if (isTooManyRecipients(plain)) return 'protocol'
  const cause = causeInText(plain)
  if (code === 551) return cause === 'policy' ? 'policy' : 'address'
  if (cause !== undefined) return cause
  if (code === 552) return phase === 'content' || phase === 'data' ? 'content' : 'mailbox_full'
  return code < 510 || code === 555 ? 'protocol' : 'policy'
}

/** To MAIL a server speaks of the sender, whatever its code is called. */
function aboutSender({ phase }: SmtpReply, told: ReplyClass): ReplyClass {
  const ofReceiver = told === 'address' || told === 'address_later' || told === 'mailbox_full'
  return phase === 'mail' && ofReceiver ? 'policy' : told
}

/** `5.7.28` -> subject `7`, cause `7.28`; without a code, or 5.0.0, subject `0`. */
function partsOf(enhanced: string | null): [subject: string, cause: string] {
  const [, subject, detail] = /^[245]\.(\d{1,3})\.(\d{1,3})$/.exec(enhanced ?? '') ?? []
  return subject === undefined ? ['0', '0.0'] : [subject, `${Number(subject)}.${Number(detail)}`]
}
