import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** The content of a message, as it is stored; the lists are JSON. */
export type ContentRow = {
  messageId: string
  templateId: string | null
  templateVersion: number | null
  subject: string | null
  html: string | null
  text: string | null
  variables: string | null
  fromEmail: string | null
  fromName: string | null
  destinationName: string | null
  furtherTo: string
  cc: string
  bcc: string
  replyTo: string
  headers: string
  oneClickUrl: string | null
  trackOpens: boolean
  trackClicks: boolean
  createdAt: string
  /** The mail it goes out as, byte for byte; null: it is made from the rest. */
  submittedId: string | null
}

type Messages = readonly { id: string; createdAt: string }[]
const GIVEN = 'unnest($2::int8[], $3::text[]) as given (message_id, created_at)'
const OF_GIVEN = (table: string) =>
  `${table}.workspace_id = $1 and ${table}.message_id = given.message_id and ${table}.created_at = given.created_at::timestamptz`
const valuesOf = (workspaceId: string, messages: Messages) => [
  workspaceId,
  int8Array(messages.map(({ id }) => id)),
  textArray(messages.map(({ createdAt }) => createdAt)),
]

/** Contents of these messages. */
export async function contentsOf(tx: Transaction, workspaceId: string, messages: Messages): Promise<ContentRow[]> {
  const { rows } = await tx.query<ContentRow>({
    name: 'email_contents',
    text: `select e.message_id as "messageId", e.template_id as "templateId", e.template_version as "templateVersion",
        e.subject, e.html, e.text, e.variables, e.from_email as "fromEmail", e.from_name as "fromName",
        e.destination_name as "destinationName", e.further_to as "furtherTo", e.cc, e.bcc, e.reply_to as "replyTo", e.headers,
        e.one_click_url as "oneClickUrl", e.track_opens as "trackOpens", e.track_clicks as "trackClicks",
        e.created_at as "createdAt", e.submitted_id as "submittedId"
      from ${GIVEN} join emails e on ${OF_GIVEN('e')}`,
    values: valuesOf(workspaceId, messages),
  })
  return rows
}

export type AttachmentRow = {
  messageId: string
  fileName: string
  contentType: string
  contentId: string | null
  content: Buffer
}

/** Attachments of these messages, in order. */
export async function attachmentsOf(
  tx: Transaction,
  workspaceId: string,
  messages: Messages,
): Promise<AttachmentRow[]> {
  const { rows } = await tx.query<AttachmentRow>({
    name: 'attachments_of_emails',
    text: `select a.message_id as "messageId", a.file_name as "fileName", a.content_type as "contentType",
        a.content_id as "contentId", a.content
      from ${GIVEN} join email_attachments a on ${OF_GIVEN('a')} order by a.message_id, a.position`,
    values: valuesOf(workspaceId, messages),
  })
  return rows
}

/** Those of the addresses that must not be mailed. */
export async function suppressedAmong(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set()
  const { rows } = await tx.query<{ destination: string }>({
    name: 'suppressed_among',
    text: 'select destination from suppressions where workspace_id = $1 and destination = any ($2::text[])',
    values: [workspaceId, textArray(addresses)],
  })
  return new Set(rows.map(({ destination }) => destination))
}
