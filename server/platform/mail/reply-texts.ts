/**
 * Meanings of a refusal's text, where its codes leave them open. Order is by what would do most harm if it were taken
 * for something else: words about the sender come before words about the person written to. Matched against folded text
 * without addresses and links, in which any word may stand; a link to a block list says that it is one.
 */

import { MEANINGS, type Meaning, REPLY_PHRASES } from './reply-phrases.ts'

/** More than the sender may hand over in a time. */
const SENDING_QUOTA =
  /\b(?:daily|hourly|sending|submission)\b.{0,40}\b(?:limit|quota|rate)|\bsubmissionquota|\bexceeded\b.{0,60}\b(?:messages|e-?mails|recipients) (?:per|in an?|for the) (?:minute|hour|day)|\b(?:ip|sending) frequency (?:is )?limited/
/** The server is asked for more than it gives, whoever the message is for. */
const TOO_FAST =
  /throttl|\btoo (?:fast|frequent|busy|quickly)|\btoo (?:many|much) (?!hops|errors|invalid|bad|unknown|unrecogni|recipients\b(?! (?:this|per|in an?|from)))|\brate.?limit|\b(?:sending|send|message|mail|connection) rate|\brate (?:exceeded|is too|too)|\bslow(?:ing)? down|\b(?:message|connection|rate|concurrency) (?:limit|quota)|\boverload|\bserver busy|\bhigh load|\bload (?:is )?too high|\bfrequency (?:is )?limited/
const TOO_MANY_RECIPIENTS = /\btoo many recipients\b(?! (?:this|per|in an?|from))/
/** A login is missing. Never what a receiver says of a message that proves no sender. */
const LOGIN_MISSING =
  /\b(?:smtp )?auth(?:entication)? (?:is )?(?:required|needed|first)\b|\bmust (?:authenticate|log ?in)\b|\bplease (?:authenticate|log ?in)\b|\blog ?in required\b|\bnot logged in\b|\bstarttls\b.{0,20}\bfirst\b/
/** A block list, or a wish of the person written to: so much about the sender that no code may say otherwise. */
const LISTED_OR_UNWANTED =
  /\b(?:black|block|deny)[ -]?list|\b(?:rbl|dnsbl|dnsrbl)\b|\bspamhaus|\bspamcop|\blisted (?:at|by|in|on) \S{0,60}(?:\.org|\.net|\.com)\b|\brecipient.{0,3} preference|\bpreferences? of the recipient|\b(?:has|have) blocked (?:you|your|this|the sender)|\b(?:not|n.t) (?:wish|want) to receive|\bonly accepts? (?:e-?)?mail from/

/** Names of hosts on which block lists explain themselves. */
const LIST_HOST =
  /spamhaus|spamcop|barracudacentral|sorbs|uceprotect|abuseat|abusix|mailspike|invaluement|senderscore|surbl|uribl|psbl|dnsbl|rbl\b|blocklist|blacklist|ipremoval|ipcheck|cloudmark|talosintelligence|trendmicro/
/** A bare address or a link: words in them say nothing. */
const NAMES = /<?[^\s<>()]{1,320}@[^\s<>()]{1,255}>?|\bhttps?:\/\/([^\s/?#]{1,255})[^\s]{0,400}/g
const ACCENTS = /[\u0300-\u036f]/g
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ø: 'o', æ: 'ae', '’': "'" }
const TEXT_CHARS_MAX = 500

/** The text as the patterns want it. */
export function plainText(text: string): string {
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replace(NAMES, (_, host?: string) =>
      host !== undefined && LIST_HOST.test(host.toLowerCase()) ? ' blocklist ' : ' ',
    )
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/[łßøæ’]/g, (letter) => LETTERS[letter]!)
}

const PATTERNS: ReadonlyMap<Meaning, readonly RegExp[]> = new Map(
  MEANINGS.map((meaning) => [meaning, Object.values(REPLY_PHRASES[meaning]).flat().map(pattern)]),
)

function pattern(source: string): RegExp {
  return new RegExp(source)
}

function says(plain: string, meaning: Meaning): boolean {
  return PATTERNS.get(meaning)!.some((one) => one.test(plain))
}

export const isTooFast = (plain: string): boolean => SENDING_QUOTA.test(plain) || TOO_FAST.test(plain)
export const isSendingQuota = (plain: string): boolean => SENDING_QUOTA.test(plain)
export const isTooManyRecipients = (plain: string): boolean => TOO_MANY_RECIPIENTS.test(plain)
export const isLoginMissing = (plain: string): boolean => LOGIN_MISSING.test(plain)
export const isRelayingRefused = (plain: string): boolean => /\brelay/.test(plain)
export const isSenderRefused = (plain: string): boolean => says(plain, 'sender')
export const isListedOrUnwanted = (plain: string): boolean => LISTED_OR_UNWANTED.test(plain)

const CAUSES = {
  sender: 'policy',
  full: 'mailbox_full',
  large: 'content',
  domain: 'address',
  person: 'address',
  closed: 'address_later',
  host: 'host',
} as const satisfies Record<Meaning, string>

/** The cause of a permanent refusal without a telling code; undefined when the text does not say. */
export function causeInText(plain: string): (typeof CAUSES)[Meaning] | undefined {
  const meaning = MEANINGS.find((one) => says(plain, one))
  return meaning && CAUSES[meaning]
}
