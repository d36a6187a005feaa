/**
 * Meanings of a refusal's text, where its codes leave them open. Order is by what would do most harm if it were taken
 * for something else: words about the sender come before words about the person written to. Matched against text without
 * addresses and links, in which any word may stand.
 */

/** More than the sender may hand over in a time. */
const SENDING_QUOTA =
  /\b(?:daily|hourly|sending|submission)\b.{0,40}\b(?:limit|quota|rate)|\bsubmissionquota|\bexceeded\b.{0,60}\b(?:messages|e-?mails|recipients) (?:per|in an?|for the) (?:minute|hour|day)/
/** The server is asked for more than it gives, whoever the message is for. */
const TOO_FAST =
  /throttl|\btoo (?:fast|frequent|busy|quickly)|\btoo (?:many|much) (?!hops|errors|invalid|bad|unknown|unrecogni|recipients\b(?! (?:this|per|in an?|from)))|\brate.?limit|\b(?:sending|send|message|mail|connection) rate|\brate (?:exceeded|is too|too)|\bslow(?:ing)? down|\b(?:message|connection|rate|concurrency) (?:limit|quota)|\boverload|\bserver busy|\bhigh load|\bload (?:is )?too high/
/** A login is missing. Never what a receiver says of a message that proves no sender. */
const LOGIN_MISSING =
  /\b(?:smtp )?auth(?:entication)? (?:is )?(?:required|needed|first)\b|\bmust (?:authenticate|log ?in)\b|\bplease (?:authenticate|log ?in)\b|\blog ?in required\b|\bnot logged in\b|\bstarttls\b.{0,20}\bfirst\b/
/** The sender, the way it sends, or what it sends is not wanted. */
const SENDER_REFUSED =
  /\bspam|\bspf\b|\bdkim\b|\bdmarc\b|\b(?:black|block|deny)[ -]?list|\bblocked\b|\b(?:rbl|dnsbl|dnsrbl)\b|\breputation|\bpolic(?:y|ies)\b|\bunsolicited|\bbulk\b|\bjunk\b|\bunauthenticated|\baccess denied|\bbanned|\brelay|\breverse dns|\brdns\b|\bptr\b|\bhelo\b|\behlo\b|\bsender\b|\bfrom (?:address|domain|header)|\bnot (?:allowed|permitted|authori[sz]ed|accepted)\b|\bvirus|\bmalware|\bphish|\bsuspicious|\bcomplaint|\bcontent rejected|\brcpthosts|\bgr[ae]ylist/
const MAILBOX_FULL =
  /\b(?:mailbox|inbox|account|folder|user)\b.{0,30}\bfull\b|\bquota\b|\bover (?:the )?(?:storage|limit)|\b(?:exceeded|insufficient|not enough|no)\b.{0,30}\b(?:storage|disk|space)|\breceiving mail (?:at a rate|too quickly)/
const TOO_LARGE =
  /\btoo (?:large|big)|\b(?:message|maximum|max|fixed|size)\b.{0,30}\b(?:size|limit)|\bexceeds?\b.{0,30}\bsize/
const NO_SUCH_PERSON =
  /\b(?:user|mailbox|recipient|address|account|person|customer|local.?part)\b.{0,40}\b(?:unknown|not found|not exist|n't exist|no longer|invalid|not (?:a )?valid|not listed|undeliverable|unroutable|unrouteable)|\b(?:unknown|invalid|no such|nonexistent|non-existent|no valid|bad|undeliverable|unroutable|unrouteable)\b.{0,12}\b(?:user|mailbox|recipient|destination|address|account|person|customer|local.?part|rcpt)|\bnot a valid (?:user|mailbox|recipient|address)|\bno mailbox\b|\bno (?:user|one|body) (?:by|with|here|of)|\bdoes(?:n't| not) have an? .{0,20}account|\bnot (?:our customer|known here|known at this site)|\bno account\b/
const MAILBOX_CLOSED =
  /\b(?:user|mailbox|recipient|account|address)\b.{0,30}\b(?:disabled|inactive|suspended|deactivated|locked|closed|unavailable|expired|discontinued)|\bdisabled (?:user|mailbox|recipient|account)|\binactive (?:user|mailbox|recipient|account)|\brecipient address rejected\b/

/** A bare address or a link: words in them say nothing. */
const NAMES = /<?[^\s<>()]{1,320}@[^\s<>()]{1,255}>?|\bhttps?:\/\/\S{1,400}/g
const TEXT_CHARS_MAX = 500

/** The text as the patterns want it. */
export function plainText(text: string): string {
  return text.slice(0, TEXT_CHARS_MAX).replace(NAMES, ' ').replace(/\s+/g, ' ').toLowerCase()
}

export const isTooFast = (plain: string): boolean => SENDING_QUOTA.test(plain) || TOO_FAST.test(plain)
export const isSendingQuota = (plain: string): boolean => SENDING_QUOTA.test(plain)
export const isLoginMissing = (plain: string): boolean => LOGIN_MISSING.test(plain)
export const isRelayingRefused = (plain: string): boolean => /\brelay/.test(plain)
export const isSenderRefused = (plain: string): boolean => SENDER_REFUSED.test(plain)

/** The cause of a permanent refusal without a telling code; undefined when the text does not say. */
export function causeInText(
  plain: string,
): 'policy' | 'mailbox_full' | 'content' | 'address' | 'address_later' | undefined {
  if (SENDER_REFUSED.test(plain)) return 'policy'
  if (MAILBOX_FULL.test(plain)) return 'mailbox_full'
  if (TOO_LARGE.test(plain)) return 'content'
  if (NO_SUCH_PERSON.test(plain)) return 'address'
  if (MAILBOX_CLOSED.test(plain)) return 'address_later'
  return undefined
}
