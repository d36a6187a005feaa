import type { SmtpReply } from '../classify-reply.ts'
import { readDiagnostic } from '../read-diagnostic.ts'

/** A code of a refusal (RFC 5321 section 4.2.1), with its enhanced one (RFC 3463) where that follows. */
const CODE =
  /(?<=^|[\s:(["'#;,=>|])[45][0-5]\d(?=[\s:\-,.)\]'"<#|]|$)(?!\.\d)(?:[ -]{1,3}[#(]{0,2}[45]\.\d{1,3}\.\d{1,3}\b)?/g
/** An enhanced code that stands alone; with its subject of one digit it is no version and no address of a host. */
const ENHANCED = /(?<=^|[\s:(["'#;,=<])[45]\.[0-7]\.\d{1,3}(?=[\s:\-,;)\]'"<>#]|\.(?!\d)|$)/
/** The command that was refused, as Postfix, Exim and qmail name it: before RCPT a server speaks of the sender. */
const PHASES: readonly (readonly [RegExp, SmtpReply['phase']])[] = [
  [/\b(?:in reply to|after) (?:the )?(?:ehlo|helo)\b|\bmy name was rejected\b/i, 'ehlo'],
  [/\b(?:in reply to|after) (?:the )?(?:pipelined )?mail(?: from)?\b|\bsender was rejected\b/i, 'mail'],
  [/\bafter initial connection\b|\bduring greeting\b/i, 'greeting'],
]
/** Behind such a number it counts something. */
const UNIT = /^[ -]?(?:bytes?|[kmg]i?b|octets|seconds?|minutes?|hours?|days?|messages?|recipients?|characters?)\b/i
/** Words before which a server's own reply stands. */
const INTRODUCED =
  /(?:said|says|repl(?:y|ied)|respon(?:se|ded)|returned|error|code|reason|with|was|smtp|<<<|>>>|dat[ae]|rcpt to)\b[^\n]{0,40}$/i
const CONTEXT_CHARS = 60
const CANDIDATES_MAX = 50
const TEXT_CHARS_MAX = 4_000

/**
 * The refusal of a mail server as somebody tells of it: the code with its text, wherever it stands, else the enhanced code,
 * else the words alone. Null for an empty text.
 */
export function replyInText(text: string): SmtpReply | null {
  const plain = text.slice(0, TEXT_CHARS_MAX)
  const phase = PHASES.find(([words]) => words.test(plain))?.[1] ?? 'content'
  const at = positionOfReply(plain)
  const said = oneLine(at === undefined ? plain : paragraphOf(plain.slice(at)))
  const reply = readDiagnostic(said, at === undefined ? (ENHANCED.exec(said)?.[0] ?? null) : null)
  return reply && { ...reply, phase }
}

/** Whether a reply has a code, its own word on what it is about. */
export function hasCode(text: string): boolean {
  const plain = text.slice(0, TEXT_CHARS_MAX)
  return positionOfReply(plain) !== undefined || ENHANCED.test(plain)
}

function positionOfReply(plain: string): number | undefined {
  let best: { at: number; worth: number } | undefined
  let seen = 0
  for (const { 0: found, index } of plain.matchAll(CODE)) {
    if (++seen > CANDIDATES_MAX) break
    if (UNIT.test(plain.slice(index + found.length, index + found.length + 20))) continue
    const worth = worthOf(found, plain.slice(Math.max(0, index - CONTEXT_CHARS), index))
    if (worth > (best?.worth ?? 0)) best = { at: index, worth }
  }
  return best?.at
}

/** A number in a sentence that nothing introduces is no reply. */
function worthOf(found: string, before: string): number {
  const hasEnhanced = found.length > 3 ? 4 : 0
  const standsOut = /(?:^|\n)[ \t]*$|[:#;(["'<>|-] ?$/.test(before) ? 2 : 0
  return hasEnhanced + standsOut + (INTRODUCED.test(before) ? 1 : 0)
}

/** The reply ends with its paragraph: sizes and dates of the message that follow are none of its words. A code alone has its words behind it. */
function paragraphOf(text: string): string {
  const end = text.search(/\n[ \t]*\r?\n/)
  const paragraph = end === -1 ? text : text.slice(0, end)
  return /[a-z]{3}/i.test(paragraph) ? paragraph : text
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
