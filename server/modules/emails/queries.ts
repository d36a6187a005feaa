import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { NewEmail, StoredEmail } from './queue-emails.ts'

type Stored = { workspaceId: string; stored: readonly StoredEmail[] }

/** Writes what messages say, beside their rows in the ledger. */
export async function insertEmails(tx: Transaction, { workspaceId, stored }: Stored): Promise<void> {
  const column = (of: (email: NewEmail) => string | null) => textArray(stored.map(({ email }) => of(email)))
  await tx.query({
    name: 'insert_emails',
    text: `insert into emails (workspace_id, message_id, created_at, template_id, template_version, subject, html,
        text, variables, from_email, from_name, destination_name, cc, bcc, reply_to, headers, one_click_url, track_opens,
        track_clicks, scheduled_at)
      select $1, message_id, created_at::timestamptz, template_id::bigint, template_version::int, subject, html, text,
        variables::json, from_email, from_name, destination_name, cc::json, bcc::json, reply_to::json, headers::json,
        one_click_url, track_opens::boolean, track_clicks::boolean, scheduled_at::timestamptz
      from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
          $18::text[], $19::text[], $20::text[])
        as given (message_id, created_at, template_id, template_version, subject, html, text, variables, from_email,
          from_name, destination_name, cc, bcc, reply_to, headers, one_click_url, track_opens, track_clicks, scheduled_at)`,
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
    ],
  })
}

export async function insertAttachments(tx: Transaction, { workspaceId, stored }: Stored): Promise<void> {
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

/** The contacts of these addresses, by address. */
export async function contactsByEmails(
  tx: Transaction,
  workspaceId: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'contacts_by_emails',
    text: 'select id, email from contacts where workspace_id = $1 and email = any ($2::text[])',
    values: [workspaceId, textArray(emails)],
  })
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** Those of the domains that are sending domains of the workspace. */
export async function sendingDomainsAmong(
  tx: Transaction,
  workspaceId: string,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  if (domains.length === 0) return new Set()
  const { rows } = await tx.query<{ domain: string }>({
    name: 'sending_domains_among',
    text: 'select domain from sending_domains where workspace_id = $1 and domain = any ($2::text[])',
    values: [workspaceId, textArray(domains)],
  })
  return new Set(rows.map(({ domain }) => domain))
}
