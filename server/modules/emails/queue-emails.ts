import type { Transaction } from '../../platform/db/transaction.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import type { Attachment } from '../../platform/mail/mime-parts.ts'
import { type CreatedMessage, createMessages, type SingleOrigin } from '../sending/ledger/create-messages.ts'
import { insertAttachments, insertEmails } from './queries.ts'

/** What a single message says: a template, or content of its own. Addresses are normalised, times RFC 3339. */
export type NewEmail = {
  contactId: string | null
  destination: string
  destinationName: string | null
  template: { id: string; version: number } | null
  /** Null with a template. */
  subject: string | null
  html: string | null
  text: string | null
  /** JSON; null when content of its own is to go out as it is. */
  variables: string | null
  /** Null: those of the integration. */
  fromEmail: string | null
  fromName: string | null
  cc: readonly Mailbox[]
  bcc: readonly string[]
  replyTo: readonly Mailbox[]
  headers: readonly (readonly [name: string, value: string])[]
  attachments: readonly Attachment[]
  /** RFC 8058, for tests of marketing mail. */
  oneClickUrl: string | null
  trackOpens: boolean
  trackClicks: boolean
  scheduledAt: string | null
}

export type StoredEmail = { createdAt: string; messageId: string; email: NewEmail }

/**
 * Queues single messages with their contents, in the caller's transaction: they are sent if and only if it commits. In
 * the order given.
 */
export async function queueEmails(
  tx: Transaction,
  given: { workspaceId: string; origin: SingleOrigin; emails: readonly NewEmail[] },
): Promise<CreatedMessage[]> {
  const { workspaceId, origin, emails } = given
  const items = emails.map(({ contactId, destination, scheduledAt }) => ({
    contactId,
    destination,
    ...(scheduledAt === null ? {} : { dueAt: scheduledAt }),
  }))
  const created = await createMessages(tx, { workspaceId, origin, items })
  const stored = created.map(({ id, createdAt }, index) => ({ messageId: id, createdAt, email: emails[index]! }))
  await Promise.all([insertEmails(tx, { workspaceId, stored }), insertAttachments(tx, { workspaceId, stored })])
  return created
}
