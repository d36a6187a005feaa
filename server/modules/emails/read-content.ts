import type pg from 'pg'
import { notFound, wrongStatus } from '../../catalogue/problems.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { wholeText } from '../../platform/mail/mail-text.ts'
import type { MailOpener } from '../mailbox/read-mail.ts'
import { type SenderDeps, shownSender } from '../sending/judge-sender.ts'
import {
  type ClaimedMessage,
  type MessageSource,
  ORIGIN,
  type PreparedMessages,
  personOf,
  type SourceKind,
} from '../sending/message-source.ts'
import { openSubmitted } from './open-submitted.ts'

export type ContentDeps = {
  sql: pg.Pool
  /** Sources of messages with links that count nothing, by their kinds; without confirmations, whose link is a decision. */
  shown: ReadonlyMap<SourceKind, MessageSource>
  /** Takes mails apart that programs handed over whole. */
  opener: MailOpener
  sender: SenderDeps
}

/** `sender`: of the integration that it went through; null before, and where that is gone. */
type ShownRow = ClaimedMessage & { sender: string | null; senderName: string | null; isUnchanged: boolean }

/**
 * A message as its receiver reads it, made again of what was kept: its content, its template's version, its variables. Links
 * of it count nothing. Throws 404, and 409 for one whose content cannot be shown.
 */
export async function readContent(deps: ContentDeps, workspaceId: string, id: string) {
  const { row, prepared } = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rows } = await tx.query(shownMessageStatement(workspaceId, id))
    const [row] = rows
    if (!row) throw notFound()
    const source = deps.shown.get(row.sourceKind)
    if (source === undefined)
      throw wrongStatus('Its only link is a decision of its receiver: it is shown to nobody else.')
    if (row.destination === '') throw wrongStatus('Whom it went to was erased.')
    return { row, prepared: await prepare(tx, deps, { source, row }) }
  })
  await prepared.finish?.()
  return contentOf(deps, prepared, row)
}

async function prepare(
  tx: Transaction,
  deps: ContentDeps,
  { source, row }: { source: MessageSource; row: ShownRow },
): Promise<PreparedMessages> {
  const { sender, senderName, isUnchanged: _, ...message } = row
  const { workspaceId, sourceId } = message
  const stream = await source.senderOf(tx, workspaceId, sourceId)
  const { fromEmail, fromName } =
    sender === null
      ? await shownSender(tx, deps.sender, { workspaceId, ...stream })
      : { fromEmail: stream.fromEmail ?? sender, fromName: stream.fromName ?? senderName }
  return source.prepare(tx, { workspaceId, messages: [message], sender: { email: fromEmail ?? '', name: fromName } })
}

async function contentOf({ opener }: ContentDeps, prepared: PreparedMessages, row: ShownRow) {
  const content = await prepared.contentOf(row)
  if ('fault' in content) throw wrongStatus(`It cannot be shown: ${content.detail}`)
  const { html, subject, text, to } = content
  if (content.whole)
    return { from: content.from, subject, ...(await openSubmitted(opener, content.whole)), asSent: true }
  return {
    from: content.from,
    to: [...to],
    cc: [...(content.cc ?? [])],
    replyTo: [...(content.replyTo ?? [])],
    subject,
    html: html === null ? null : wholeText(html),
    text,
    asSent: row.isUnchanged,
  }
}

/** The sender of an automation is that of its version in force. */
function shownMessageStatement(workspaceId: string, id: string): Statement<ShownRow> {
  return {
    name: 'shown_message',
    text: `select m.workspace_id as "workspaceId", m.id, m.created_at as "createdAt", ${ORIGIN}, ${personOf()} as "contactId",
        m.destination, 1 as attempt, i.from_email as sender, i.from_name as "senderName",
        m.settled_at is not null
          and coalesce((select c.updated_at from contacts c where c.workspace_id = $1 and c.id = m.contact_id) <= m.settled_at, m.contact_id is null)
          and coalesce((select t.updated_at from sending_settings t where t.workspace_id = $1) <= m.settled_at, true)
          and (m.source_kind <> 'automation' or coalesce((select v.published_at from automations a join automation_versions v
              on v.workspace_id = $1 and v.automation_id = a.id and v.version = a.published_version
            where a.workspace_id = $1 and a.id = m.source_id) <= m.settled_at, false)) as "isUnchanged"
      from messages m
      left join integrations i on i.workspace_id = $1 and i.id = m.integration_id
      where m.workspace_id = $1 and m.id = $2`,
    values: [workspaceId, id],
  }
}
