import { firstOf, readFieldGroups } from '../../platform/mail/field-groups.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { parseReport, type Report } from '../../platform/mail/parse-report.ts'
import { addressIn } from '../../platform/mail/report/address-in.ts'
import type { DeliveryStatus } from '../../platform/mail/report/delivery-status.ts'
import type { MessageKey } from '../sending/ledger/message-codes.ts'
import type { MessageIds } from '../sending/ledger/message-ids.ts'
import { bounceOf, detailOf, detailText, type FeedbackItem, NO_COMPLAINTS } from './feedback-item.ts'
import { readMailedNotification } from './read-mailed-notification.ts'
import type { SesNotification } from './read-ses-notification.ts'
import type { ReturnPaths } from './return-path.ts'

export type NameReaders = { returnPaths: Pick<ReturnPaths, 'read'>; messageIds: Pick<MessageIds, 'read'> }

/** A mail as it came: the addresses it was sent to, and the sender of its envelope where that is known. */
export type TakenMail = { bytes: Buffer; recipients: readonly string[]; sender?: string }

/** The report of a mail that came back, by the workspace it is about. */
export type ReturnedMail = {
  /**
   * `unread`: to a return path of ours a mail system says what nobody can read here; `unproven`: a report that shows no name
   * of a message that we made, so that anybody could have written it.
   */
  outcome: 'feedback' | 'unread' | 'no_report' | 'unproven' | 'not_a_bounce'
  workspaceId: string | null
  items: readonly FeedbackItem[]
  /** The name that shows which message it is about: receivers know its return path, whoever has seen it its Message-ID. */
  namedBy: NamedBy | null
}

type NamedBy = 'return_path' | 'message_id'

/**
 * Reads a mail as bounces or a complaint. Which message it is about is taken from a name that only we can make: the return
 * path it was sent to, or one of those in the header that came back with it. Without such a name it is nobody's word.
 */
export function readReturnedMail(readers: NameReaders, { bytes, recipients, sender }: TakenMail): ReturnedMail {
  const notification = readMailedNotification(bytes)
  if (notification !== undefined) return notifiedOf(readers, recipients, notification)
  const report = parseReport(bytes, sender)
  if (report.kind === 'none') return nothing('no_report')
  if (report.kind === 'unread') return unreadOf(readers, recipients, report.text)
  const named = messageOf(readers, recipients, report)
  if (named === null) return nothing('unproven')
  const { message, namedBy } = named
  const items = report.kind === 'delivery' ? bouncesOf(report.recipients, message) : complaintOf(report, message)
  return items.length === 0
    ? nothing('not_a_bounce')
    : { outcome: 'feedback', workspaceId: message.workspaceId, items, namedBy }
}

/** As any report: the message is the one in the return path, or in the header that the notification repeats. */
function notifiedOf(
  { returnPaths, messageIds }: NameReaders,
  recipients: readonly string[],
  notification: SesNotification | null,
): ReturnedMail {
  if (notification === null) return nothing('not_a_bounce')
  const toPath = recipients.map((address) => returnPaths.read(address)).find((one) => one !== null)
  const message = toPath ?? messageIds.read(notification.messageIdHeader ?? '')
  if (!message) return nothing('unproven')
  const { workspaceId, messageId } = message
  const items = notification.recipients.map(({ address, ...told }): FeedbackItem => {
    const key = told.kind === 'complaint' ? `arf ${messageId}` : `dsn ${messageId} ${address}`
    return { ...told, key, source: 'mail', messageId, addresses: [address] }
  })
  return { outcome: 'feedback', workspaceId, items, namedBy: toPath ? 'return_path' : 'message_id' }
}

/** The return path proves that it is about the message, and no other name does: it may be anything. */
function unreadOf({ returnPaths }: NameReaders, recipients: readonly string[], text: string): ReturnedMail {
  const message = recipients.map((address) => returnPaths.read(address)).find((one) => one !== null)
  if (!message) return nothing('no_report')
  const { workspaceId, messageId } = message
  const item: FeedbackItem = {
    ...{ kind: 'bounce', key: `unread ${messageId}`, source: 'mail', messageId, addresses: [], isUnread: true },
    ...{ cause: 'unsure', reason: 'host_refused', detail: detailText(text) || null },
  }
  return { outcome: 'unread', workspaceId, items: [item], namedBy: 'return_path' }
}

function nothing(outcome: ReturnedMail['outcome']): ReturnedMail {
  return { outcome, workspaceId: null, items: [], namedBy: null }
}

function messageOf(
  { returnPaths, messageIds }: NameReaders,
  recipients: readonly string[],
  report: Extract<Report, { kind: 'delivery' | 'feedback' }>,
): { message: MessageKey; namedBy: NamedBy } | null {
  const original = report.original ?? undefined
  const mailFrom = report.kind === 'feedback' ? report.mailFrom : null
  const addresses = [...recipients, mailFrom, bare(firstOf(original, 'return-path'))]
  for (const address of addresses) {
    const message = address === null ? null : returnPaths.read(address)
    if (message) return { message, namedBy: 'return_path' }
  }
  const message = messageIds.read(firstOf(original, 'message-id') ?? '')
  return message && { message, namedBy: 'message_id' }
}

function bare(value: string | null): string | null {
  return value === null ? null : value.replace(/^<|>$/g, '')
}

function bouncesOf(recipients: readonly DeliveryStatus[], message: MessageKey): FeedbackItem[] {
  return recipients.flatMap((status): FeedbackItem[] => {
    // Late is not lost.
    if (status.action !== 'failed') return []
    const { reply } = status
    const addresses = normalised([status.originalRecipient, status.finalRecipient])
    return [
      {
        kind: 'bounce',
        ...{ key: `dsn ${message.messageId} ${addresses[0] ?? ''}`, source: 'mail' },
        ...{ messageId: message.messageId, addresses, detail: reply && detailOf(reply) },
        ...(reply ? bounceOf(reply) : UNEXPLAINED),
      },
    ]
  })
}

/** It failed, and nobody says why: that says nothing of the address. */
const UNEXPLAINED = { cause: 'transient', reason: 'host_refused' } as const

function complaintOf(report: Extract<Report, { kind: 'feedback' }>, { messageId }: MessageKey): FeedbackItem[] {
  const { feedbackType } = report
  if (NO_COMPLAINTS.has(feedbackType)) return []
  const key = `arf ${messageId}`
  const addresses = normalised(report.recipients)
  return [{ kind: 'complaint', key, source: 'mail', messageId, addresses, detail: feedbackType }]
}

function normalised(addresses: readonly (string | null)[]): string[] {
  return addresses.flatMap((address) => (address === null ? [] : (normaliseEmail(address) ?? [])))
}

/** Where servers on the way write whom a mail was sent to. */
const RECIPIENT_HEADERS = ['x-original-to', 'delivered-to', 'envelope-to', 'to']
const HEADER_BYTES_MAX = 64 * 1024
const RECIPIENTS_MAX = 20

/** Recipients of a mail, as far as its header tells, where the envelope is gone. */
export function addressedTo(bytes: Buffer): string[] {
  const [header] = readFieldGroups(bytes.subarray(0, HEADER_BYTES_MAX).toString('latin1'), 1)
  const values = RECIPIENT_HEADERS.flatMap((name) => header?.get(name) ?? []).flatMap((value) => value.split(','))
  return values.slice(0, RECIPIENTS_MAX).flatMap((value) => addressIn(value) ?? [])
}
