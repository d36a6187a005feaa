import { classifyReply } from '../../platform/mail/classify-reply.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { readDiagnostic, readStatus } from '../../platform/mail/read-diagnostic.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import type { FailureReason } from '../sending/message-states.ts'
import { bounceOf, type Cause, detailText, NO_COMPLAINTS } from './feedback-item.ts'

/** One person that Amazon SES tells of. */
export type SesRecipient = { address: string; detail: string | null } & (
  | { kind: 'complaint' }
  | { kind: 'bounce'; cause: Cause; reason: FailureReason }
)

export type SesNotification = {
  /** The id that SES gave the message. */
  providerMessageId: string | null
  /** The `Message-ID` that we gave it, if the notification has headers. */
  messageIdHeader: string | null
  /** When the bounce or complaint came about, in UTC; null where it does not say. */
  occurredAt: string | null
  recipients: readonly SesRecipient[]
}

const RECIPIENTS_MAX = 100

/**
 * Reads a notification of Amazon SES: of an identity (`notificationType`) or of a configuration set (`eventType`). Null
 * for what is neither bounce nor complaint. By SNS's signature it is Amazon's word; the addresses in it are read as any.
 */
export function readSesNotification(text: string): SesNotification | null {
  const told = objectOf(parsed(text))
  const type = told.notificationType ?? told.eventType
  const mail = objectOf(told.mail)
  const about = objectOf(type === 'Bounce' ? told.bounce : told.complaint)
  const recipients = type === 'Bounce' ? bouncesOf(about) : type === 'Complaint' ? complaintsOf(about) : []
  if (recipients.length === 0) return null
  const occurredAt = toUtc(textOf(about.timestamp) ?? '') ?? null
  return { providerMessageId: textOf(mail.messageId), messageIdHeader: messageIdIn(mail), occurredAt, recipients }
}

/** Its causes, where the refusal itself does not tell. Only what SES calls permanent is. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  MailboxFull: 'mailbox_full',
  MessageTooLarge: 'content_refused',
  ContentRejected: 'content_refused',
  AttachmentRejected: 'content_refused',
}

function bouncesOf(bounce: Fields): SesRecipient[] {
  const isPermanent = bounce.bounceType === 'Permanent'
  const reason = REASONS[String(bounce.bounceSubType)] ?? (isPermanent ? 'address_refused' : 'expired')
  return peopleIn(bounce.bouncedRecipients).map(({ address, person }) => {
    const diagnostic = textOf(person.diagnosticCode)
    const reply = readDiagnostic(diagnostic, readStatus(textOf(person.status)))
    const detail = detailText([bounce.bounceType, bounce.bounceSubType, diagnostic].filter(Boolean).join(' ')) || null
    const told = { kind: 'bounce' as const, address, detail }
    if (!isPermanent) return { ...told, cause: 'transient', reason }
    // The receiver's own words count more: SES calls refusals of the sender permanent as well.
    const own = reply && isTelling(reply.enhanced) ? bounceOf(reply) : undefined
    return { ...told, ...(own ?? { cause: 'permanent', reason }) }
  })
}

/** Whether an enhanced code says what a refusal is about: not `5.0.0`, which is all that many servers say. */
function isTelling(enhanced: string | null): boolean {
  return enhanced !== null && !enhanced.endsWith('.0.0') && classifyReply(plainReply(enhanced)) !== 'protocol'
}

function plainReply(enhanced: string) {
  return { code: 550, enhanced, text: '', phase: 'content' } as const
}

function complaintsOf(complaint: Fields): SesRecipient[] {
  const type = complaint.complaintFeedbackType ?? complaint.complaintSubType
  if (NO_COMPLAINTS.has(type)) return []
  const detail = typeof type === 'string' && type !== '' ? detailText(type) : null
  return peopleIn(complaint.complainedRecipients).map(({ address }) => ({ kind: 'complaint', address, detail }))
}

function peopleIn(list: unknown): { address: string; person: Fields }[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, RECIPIENTS_MAX).flatMap((entry) => {
    const person = objectOf(entry)
    const told = textOf(person.emailAddress) ?? ''
    const address = normaliseEmail(/<([^<>]*)>\s*$/.exec(told)?.[1] ?? told)
    return address === undefined ? [] : [{ address, person }]
  })
}

function messageIdIn(mail: Fields): string | null {
  const common = textOf(objectOf(mail.commonHeaders).messageId)
  if (common !== null) return common
  if (!Array.isArray(mail.headers)) return null
  const header = mail.headers.map(objectOf).find(({ name }) => textOf(name)?.toLowerCase() === 'message-id')
  return textOf(header?.value)
}

type Fields = Readonly<Record<string, unknown>>

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
