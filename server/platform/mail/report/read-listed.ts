import type { SmtpReply } from '../classify-reply.ts'
import { addressIn } from './address-in.ts'
import type { Notice } from './notice-text.ts'
import { hasCode, replyInText } from './reply-in-text.ts'

/** A recipient that a notice names, with what it says of that one; null where it says nothing of that one alone. */
export type Listed = { address: string; reply: SmtpReply | null }

const RECIPIENTS_MAX = 100
const REASON_LINES_MAX = 30
/**
 * A line that begins with an address, behind which a reason may stand: `<ada@example.com>:` (qmail, Postfix),
 * `ada@example.com: 550 …` (OpenSMTPD), `"ada@example.com":` (GMX), `* ada@example.com`, `Ada<mailto:ada@example.com>`
 * (Exchange 2007), `>>> ada@example.com <ada@example.com>`, `Recipient: <ada@example.com>`.
 */
const ADDRESS_LINE =
  /^[\s>*•·-]{0,40}(?:(?:original |final )?(?:recipients?|address|addressed to|to|user|failed recipient)(?: address)? ?: ?)?(?:[^<>@:"]{0,80}<(?:mailto:)?|")?([^\s<>"'():;,[\]@]{1,128}@[^\s<>"'():;,[\]@]{1,255})[>"]?(.{0,2000})$/i
/** A line of sendmail's transcripts, its code before the address: `550 5.1.1 <ada@example.com>... User unknown`. */
const CODED_LINE =
  /^\s{0,40}([45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3} )?<?([^\s<>"'():;,[\]@]{1,128}@[^\s<>"'():;,[\]@]{1,255})>?\.{3} .{0,2000})$/
/** Behind an address that is named in a sentence there are words, not a reason. */
const REASON_START = /^(?:\s*$|\s*[:;,(<[-]|\.{2}|\s+(?:on |invalid|unknown|[45]\d\d\b|#))/i
const STARTS_WITH_CODE = /^\s*#?[245](?:\d\d|\.\d{1,3}\.\d{1,3})\b/
/** Lines that end what is said of a recipient. */
const SECTION = /^\s*[-=_*]{3,}/
const ADDRESS = /[^\s<>"'():;,[\]@]{1,128}@[^\s<>"'():;,[\]@]{1,255}/g
/** Mailboxes that a notice names as somebody to ask. */
const TO_ASK = /^(?:postmaster|mailer-daemon|abuse|hostmaster|webmaster|support|helpdesk|admin|administrator)@/

/**
 * Recipients in the notices of qmail, Exim, OpenSMTPD, sendmail, Exchange, Yahoo, GMX, Zoho, mail.ru and their kin: an
 * address at the beginning of a line, the reason behind it or in the lines that follow, as far as the next empty one.
 * Addresses that follow each other at once share their reason.
 */
export function readListed({ text }: Notice): Listed[] {
  const reasons = new Map<string, string>()
  let lines: string[] = []
  let current: string[] = []
  const end = () => {
    const reason = lines.join('\n').trim()
    for (const address of current) reasons.set(address, better(reasons.get(address), reason))
    current = []
    lines = []
  }
  for (const line of text.split('\n')) {
    const begun = addressLine(line)
    if (begun !== undefined && !current.includes(begun.address)) {
      if (lines.some((one) => one !== '')) end()
      if (reasons.size + current.length < RECIPIENTS_MAX) current.push(begun.address)
      lines.push(begun.rest)
    } else if (line.trim() === '' || SECTION.test(line)) end()
    else if (current.length > 0 && lines.length < REASON_LINES_MAX) lines.push(line.trim())
  }
  end()
  return [...reasons].map(([address, reason]) => ({ address, reply: reason === '' ? null : replyInText(reason) }))
}

/** Addresses that a notice names anywhere, without those of whom to ask. */
export function addressesIn({ text }: Notice): string[] {
  const found = (text.match(ADDRESS) ?? []).flatMap((one) => addressIn(withoutDots(one)) ?? [])
  return [...new Set(found)].filter((address) => !TO_ASK.test(address)).slice(0, RECIPIENTS_MAX)
}

function addressLine(line: string): { address: string; rest: string } | undefined {
  if (!line.includes('@')) return undefined
  const coded = CODED_LINE.exec(line)
  if (coded) return { address: coded[2]!.toLowerCase(), rest: coded[1]! }
  if (STARTS_WITH_CODE.test(line)) return undefined
  const [, found, rest = ''] = ADDRESS_LINE.exec(line) ?? []
  const address = found === undefined ? null : addressIn(withoutDots(found))
  if (address === null || TO_ASK.test(address) || !REASON_START.test(rest)) return undefined
  return { address, rest: rest.replace(/^[\s>:"]+/, '') }
}

/** sendmail sets three behind an address. */
function withoutDots(text: string): string {
  let end = text.length
  while (text[end - 1] === '.') end--
  return text.slice(0, end)
}

/** A recipient that is named twice, first for people: the words of the server are the better ones. */
function better(known: string | undefined, reason: string): string {
  if (known === undefined || known === '') return reason
  return hasCode(reason) && !hasCode(known) ? reason : known
}
