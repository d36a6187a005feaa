import PostalMime, { type Attachment } from 'postal-mime'
import type { SmtpReply } from './classify-reply.ts'
import { type Fields, firstOf, readFieldGroups } from './field-groups.ts'
import { readDiagnostic, readStatus } from './read-diagnostic.ts'

/** The fate of a message for one recipient (RFC 3464 section 2.3). */
export type DeliveryStatus = {
  /** In lower case, as the report has it; null where it hides or lacks it. */
  finalRecipient: string | null
  originalRecipient: string | null
  /** `failed`, `delayed`, `delivered`, `relayed`, `expanded`; null for a word that is none of these. */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | null
  /** The refusal as a mail server would have said it; null when neither status nor diagnostic are readable. */
  reply: SmtpReply | null
}

/** The rest of the message that a report is about: its header, as far as it came back. */
export type Returned = Fields

/** A mail that came back, by its kind. */
export type Report =
  | { kind: 'delivery'; recipients: readonly DeliveryStatus[]; original: Returned | null }
  /** RFC 5965. `feedbackType` in lower case: `abuse`, `not-spam`, …; addresses as they are told, hidden ones included. */
  | {
      kind: 'feedback'
      feedbackType: string
      mailFrom: string | null
      recipients: readonly string[]
      original: Returned | null
    }
  /** An answer, an automatic reply, a newsletter, junk: everything that is no report. */
  | { kind: 'none' }

/** Report and header with which to find its message: a mail is read so far. Its text and its attachments are not wanted. */
export const REPORT_BYTES_MAX = 256 * 1024
const RECIPIENTS_MAX = 100
/** Lines, and lines that may begin a part, of which a report has four: the parser's time goes by them, not by bytes. */
const LINES_MAX = 4_000
const PART_LINES_MAX = 200
const DASH = 0x2d
const HEADERS_BYTES_MAX = 128 * 1024
const NESTING_MAX = 16

const NONE: Report = { kind: 'none' }
const STATUS_PARTS = new Set(['message/delivery-status', 'message/global-delivery-status'])
const ORIGINAL_PARTS = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
])

/**
 * Reads a mail as a delivery status notification (RFC 3464, RFC 6533) or a feedback report (RFC 5965). It is one by its
 * form alone, `multipart/report` (RFC 6522) with such a part: no word in a subject or a text makes a mail a bounce.
 * Everything in it was written by a stranger. Never throws.
 */
export async function parseReport(bytes: Buffer): Promise<Report> {
  const head = withFewLines(bytes.subarray(0, REPORT_BYTES_MAX))
  if (!isReport(head)) return NONE
  const attachments = await partsOf(head)
  const part = (types: ReadonlySet<string>) => attachments.find(({ mimeType }) => types.has(mimeType.toLowerCase()))
  const original = part(ORIGINAL_PARTS)
  const returned = original ? (readFieldGroups(textOf(original), 1)[0] ?? null) : null
  const status = part(STATUS_PARTS)
  if (status) return deliveryOf(textOf(status), returned)
  const feedback = part(new Set(['message/feedback-report']))
  return feedback ? feedbackOf(textOf(feedback), returned) : NONE
}

/** By the top header alone, so that no other mail is parsed at all. */
function isReport(head: Buffer): boolean {
  const [header] = readFieldGroups(head.subarray(0, HEADERS_BYTES_MAX).toString('latin1'), 1)
  return /^multipart\/report\b/i.test(firstOf(header, 'content-type') ?? '')
}

function withFewLines(head: Buffer): Buffer {
  let parts = 0
  let at = head.indexOf('\n')
  for (let lines = 0; at !== -1; lines++) {
    if (head[at + 1] === DASH && head[at + 2] === DASH) parts++
    if (lines === LINES_MAX || parts > PART_LINES_MAX) return head.subarray(0, at)
    at = head.indexOf('\n', at + 1)
  }
  return head
}

async function partsOf(head: Buffer): Promise<readonly Attachment[]> {
  try {
    const limits = { maxNestingDepth: NESTING_MAX, maxHeadersSize: HEADERS_BYTES_MAX }
    const { attachments } = await PostalMime.parse(head, { ...limits, forceRfc822Attachments: true })
    return attachments
  } catch {
    // Deeper or longer than any report is.
    return []
  }
}

function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8')
}

function deliveryOf(text: string, original: Returned | null): Report {
  const groups = readFieldGroups(text, RECIPIENTS_MAX + 1).flatMap(splitGroup)
  const recipients = groups.filter(isOfRecipient).slice(0, RECIPIENTS_MAX).map(statusOf)
  return recipients.length === 0 ? NONE : { kind: 'delivery', recipients, original }
}

const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient', 'action', 'status', 'diagnostic-code']

function isOfRecipient(group: Fields): boolean {
  return RECIPIENT_FIELDS.some((name) => group.has(name))
}

/** A report whose recipients are not separated by empty lines: the values of each field in their order. */
function splitGroup(group: Fields): Fields[] {
  const count = group.get('final-recipient')?.length ?? 1
  if (count === 1) return [group]
  return Array.from({ length: Math.min(count, RECIPIENTS_MAX) }, (_, n) => {
    const fields = [...group].flatMap(([name, values]): [string, string[]][] =>
      values[n] === undefined ? [] : [[name, [values[n]]]],
    )
    return new Map(fields)
  })
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
/** By so many letters they are told apart: some systems write `failure`. */
const ACTION_LETTERS = 4

function statusOf(group: Fields): DeliveryStatus {
  const action = firstOf(group, 'action')?.toLowerCase().slice(0, ACTION_LETTERS)
  const status = readStatus(firstOf(group, 'status'))
  return {
    finalRecipient: addressIn(firstOf(group, 'final-recipient')),
    originalRecipient: addressIn(firstOf(group, 'original-recipient')),
    action: ACTIONS.find((word) => word.slice(0, ACTION_LETTERS) === action) ?? null,
    reply: readDiagnostic(firstOf(group, 'diagnostic-code'), status),
  }
}

function feedbackOf(text: string, original: Returned | null): Report {
  const [fields] = readFieldGroups(text, 1)
  const type = firstOf(fields, 'feedback-type')
    ?.toLowerCase()
    .match(/^[a-z-]+/)?.[0]
  if (type === undefined) return NONE
  const mailFrom = addressIn(firstOf(fields, 'original-mail-from'))
  const told = [...(fields?.get('original-rcpt-to') ?? []), ...(fields?.get('removal-recipient') ?? [])]
  const recipients = told.slice(0, RECIPIENTS_MAX).flatMap((value) => addressIn(value) ?? [])
  return { kind: 'feedback', feedbackType: type, mailFrom, recipients, original }
}

/**
 * The address in `rfc822; <ada@example.com>`, `utf-8; …` or as it stands, in lower case. RFC 6533 section 3 writes what is
 * beyond ASCII as `\x{e4}` where it has to.
 */
export function addressIn(value: string | null): string | null {
  if (value === null) return null
  const plain = value
    .replace(/^\s*[a-z0-9-]{1,40}\s*;/i, '')
    .replaceAll(/\\x\{([0-9a-f]{2,6})\}/gi, (text, hex: string) => {
      const point = Number.parseInt(hex, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : text
    })
  const bare = /<([^<>]*)>/.exec(plain)?.[1] ?? plain.replace(/\([^()]*\)/g, '')
  const address = bare.trim().toLowerCase()
  return /^[^\s@]{1,100}@[^\s@]{1,255}$/.test(address) ? address : null
}
