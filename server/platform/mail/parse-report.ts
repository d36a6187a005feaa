import { classifyReply } from './classify-reply.ts'
import { type Fields, firstOf } from './field-groups.ts'
import type { DeliveryStatus } from './report/delivery-status.ts'
import { type Notice, noticeOf } from './report/notice-text.ts'
import { type Complaint, readComplaint } from './report/read-complaint.ts'
import { readNotice } from './report/read-notice.ts'
import { readStatusFields, readStatusInText } from './report/read-status-fields.ts'
import { speakerOf } from './report/speaker.ts'
import { headerOf, type Leaf, leavesOf } from './report/walk-parts.ts'

/** A mail that came back, by its kind; `original` is the header of the message it is about, as far as it came back. */
export type Report =
  | { kind: 'delivery'; recipients: readonly DeliveryStatus[]; original: Fields | null }
  | ({ kind: 'feedback'; original: Fields | null } & Complaint)
  /** A mail system says something that nobody can read here; `text` is what it says. */
  | { kind: 'unread'; text: string; original: Fields | null }
  /** An answer, an automatic reply, a newsletter, junk: everything that is no report. */
  | { kind: 'none' }

/** Report and header with which to find its message: a mail is read so far. */
export const REPORT_BYTES_MAX = 256 * 1024

const NONE: Report = { kind: 'none' }
const STATUS_PARTS: ReadonlySet<string> = new Set(['message/delivery-status', 'message/global-delivery-status'])

/**
 * Reads a mail as a delivery report or a complaint. `multipart/report` (RFC 6522) is one by its form alone; any other form
 * counts only from a mail system, by its name or its null sender. The evidence in its order: the part that machines read
 * (RFC 3464, RFC 6533), those fields in the text, what the text says to people; where the first is there and names no
 * cause, the text's is taken. Everything in it was written by a stranger. Never throws; its time grows with the bytes.
 */
export function parseReport(bytes: Buffer, envelopeSender?: string): Report {
  const mail = bytes.subarray(0, REPORT_BYTES_MAX).toString('latin1')
  const header = headerOf(mail)
  const isReport = /^\s*multipart\/report\b/i.test(firstOf(header, 'content-type') ?? '')
  const speaker = speakerOf(header, envelopeSender)
  const leaves = leavesOf(mail)
  const notice = noticeOf(leaves)
  const complaint = readComplaint(leaves)
  if (complaint) return { kind: 'feedback', ...complaint, original: notice.original }
  if (!isReport && speaker !== 'system') return NONE
  const recipients = recipientsIn(leaves, notice, { header, isSystem: speaker === 'system' })
  if (recipients.length > 0) return { kind: 'delivery', recipients, original: notice.original }
  if (speaker !== 'system' || isReceipt(leaves)) return NONE
  return { kind: 'unread', text: notice.text, original: notice.original }
}

/** RFC 8098: a person's program says what became of a mail that was delivered. */
function isReceipt(leaves: readonly Leaf[]): boolean {
  return leaves.some(({ type }) => type === 'message/disposition-notification')
}

function recipientsIn(
  leaves: readonly Leaf[],
  notice: Notice,
  { header, isSystem }: { header: Fields; isSystem: boolean },
): DeliveryStatus[] {
  const part = leaves.find(({ type }) => STATUS_PARTS.has(type))
  const stated = part ? readStatusFields(part.text) : []
  if (!isSystem) return stated
  if (stated.length > 0) return withCauses(stated, () => readNotice(notice, header))
  if (isReceipt(leaves)) return []
  const inText = readStatusInText(notice.text)
  return inText.length > 0 ? inText : readNotice(notice, header)
}

/** A status without a telling cause, as OpenSMTPD and others write it, with the one in the text. */
function withCauses(stated: DeliveryStatus[], readText: () => DeliveryStatus[]): DeliveryStatus[] {
  if (stated.every(isExplained)) return stated
  const told = readText()
  return stated.map((status) => {
    if (isExplained(status)) return status
    const same = told.find(({ finalRecipient }) => finalRecipient !== null && finalRecipient === status.finalRecipient)
    const reply = (same ?? (stated.length === 1 ? told[0] : undefined))?.reply
    return reply ? { ...status, reply } : status
  })
}

function isExplained({ action, reply }: DeliveryStatus): boolean {
  if (action !== 'failed' && action !== null) return true
  return reply !== null && (reply.text !== '' || (reply.enhanced !== null && classifyReply(reply) !== 'policy'))
}
