import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import type { Attachment } from '../../platform/mail/mime-parts.ts'
import { type CreatedMessage, createMessages, type SingleOrigin } from '../sending/ledger/create-messages.ts'

/** A single message: a template, or content of its own. Addresses are normalised, times RFC 3339. */
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
  /** Beside the destination, in `To`. */
  furtherTo: readonly Mailbox[]
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
  /** JSON; comes back in the events about it. */
  metadata: string | null
}

type StoredEmail = { createdAt: string; messageId: string; email: NewEmail }

/**
 * Queues single messages with their contents, in the caller's transaction: they are sent if and only if it commits. In
 * the order given.
 */
export async function queueEmails(
  tx: Transaction,
  given: { workspaceId: string; origin: SingleOrigin; emails: readonly NewEmail[] },
): Promise<CreatedMessage[]> {
  const { workspaceId, origin, emails } = given
  const items = emails.map(({ contactId, destination, scheduledAt, metadata }) => ({
    contactId,
    destination,
    metadata,
    ...(scheduledAt === null ? {} : { dueAt: scheduledAt }),
  }))
  const created = await createMessages(tx, { workspaceId, origin, items })
  const stored = created.map(({ id, createdAt }, index) => ({ messageId: id, createdAt, email: emails[index]! }))
  await Promise.all([insertEmails(tx, { workspaceId, stored }), insertAttachments(tx, { workspaceId, stored })])
  return created
}

type Stored = { workspaceId: string; stored: readonly StoredEmail[] }

/** Writes what messages say, beside their rows in the ledger. */
async function insertEmails(tx: Transaction, { workspaceId, stored }: Stored): Promise<void> {
  const column = (of: (email: NewEmail) => string | null) => textArray(stored.map(({ email }) => of(email)))
  await tx.query({
    name: 'insert_emails',
    text: `insert into emails (workspace_id, message_id, created_at, template_id, template_version, subject, html,
        text, variables, from_email, from_name, destination_name, cc, bcc, reply_to, headers, one_click_url, track_opens,
        track_clicks, scheduled_at, further_to)
      select $1, message_id, created_at::timestamptz, template_id::bigint, template_version::int, subject, html, text,
        variables::json, from_email, from_name, destination_name, cc::json, bcc::json, reply_to::json, headers::json,
        one_click_url, track_opens::boolean, track_clicks::boolean, scheduled_at::timestamptz,
        further_to::json
      from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
          $18::text[], $19::text[], $20::text[], $21::text[])
        as given (message_id, created_at, template_id, template_version, subject, html, text, variables, from_email,
          from_name, destination_name, cc, bcc, reply_to, headers, one_click_url, track_opens, track_clicks, scheduled_at, further_to)`,
    values: [
      workspaceId,
      int8Array(stored.map(({ messageId }) => messageId)),
      textArray(stored.map(({ createdAt }) => createdAt)),
      column(({ template }) => template?.id ?? null),
      column(({ template }) => template && String(template.version)),
      column(({ subject }) => subject),
      column(({ html }) => html),
      column(({ text }) => text),
      column(({ variables }) => variables),
      column(({ fromEmail }) => fromEmail),
      column(({ fromName }) => fromName),
      column(({ destinationName }) => destinationName),
      column(({ cc }) => JSON.stringify(cc)),
      column(({ bcc }) => JSON.stringify(bcc)),
      column(({ replyTo }) => JSON.stringify(replyTo)),
      column(({ headers }) => JSON.stringify(headers)),
      column(({ oneClickUrl }) => oneClickUrl),
      column(({ trackOpens }) => String(trackOpens)),
      column(({ trackClicks }) => String(trackClicks)),
      column(({ scheduledAt }) => scheduledAt),
      column(({ furtherTo }) => JSON.stringify(furtherTo)),
    ],
  })
}

async function insertAttachments(tx: Transaction, { workspaceId, stored }: Stored): Promise<void> {
  const rows = stored.flatMap(({ messageId, createdAt, email }) =>
    email.attachments.map((attachment, position) => ({ messageId, createdAt, position, ...attachment })),
  )
  if (rows.length === 0) return
  await tx.query({
    name: 'insert_email_attachments',
    text: `insert into email_attachments
        (workspace_id, message_id, created_at, position, file_name, content_type, content_id, content)
      select $1, message_id, created_at::timestamptz, position, file_name, content_type, content_id,
        decode(content, 'base64')
      from unnest($2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[])
        as given (message_id, created_at, position, file_name, content_type, content_id, content)`,
    values: [
      workspaceId,
      int8Array(rows.map(({ messageId }) => messageId)),
      textArray(rows.map(({ createdAt }) => createdAt)),
      int8Array(rows.map(({ position }) => String(position))),
      textArray(rows.map(({ fileName }) => fileName)),
      textArray(rows.map(({ contentType }) => contentType)),
      textArray(rows.map(({ contentId }) => contentId ?? null)),
      textArray(rows.map(({ content }) => content.toString('base64'))),
    ],
  })
}
