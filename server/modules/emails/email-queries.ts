import type { Provider } from '../../catalogue/providers.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { TOLD_ORIGIN, type ToldOrigin } from '../sending/ledger/surface.ts'
import { personOf } from '../sending/message-source.ts'
import { emailStatusSql } from './email-status.ts'
import type { EmailStatus } from './schemas.ts'

/** A message as the list has it. */
export type EmailRow = ToldOrigin & {
  id: string
  status: EmailStatus
  reason: string | null
  destination: string
  contactId: string | null
  templateId: string | null
  subject: string | null
  attempts: number
  scheduledAt: string | null
  createdAt: string
  settledAt: string | null
  openedAt: string | null
  clickedAt: string | null
  unsubscribedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

/** SQL, for `messages m left join emails e`: the columns of a row. */
export const EMAIL = `m.id, ${TOLD_ORIGIN}, m.reason, m.destination, ${personOf()} as "contactId",
  ${emailStatusSql('m.state')} as status,
  e.template_id as "templateId", e.subject, m.attempts, e.scheduled_at as "scheduledAt", m.created_at as "createdAt",
  m.settled_at as "settledAt", m.opened_at as "openedAt", m.clicked_at as "clickedAt",
  m.unsubscribed_at as "unsubscribedAt", m.bounced_at as "bouncedAt", m.complained_at as "complainedAt"`

export const OF_MESSAGE = 'e.workspace_id = m.workspace_id and e.message_id = m.id and e.created_at = m.created_at'

export type EmailSearch = {
  workspaceId: string
  destination: string | undefined
  contactId: string | undefined
  /** Only older ones. */
  beforeId: string | undefined
  limit: number
}

const ID_MAX = '9223372036854775807'

/** Single messages, newest first, found by the index that fits what is asked for. */
export function emailsOfStatement({
  workspaceId,
  destination,
  contactId,
  beforeId = ID_MAX,
  limit,
}: EmailSearch): Statement<EmailRow> {
  if (destination === undefined && contactId === undefined) {
    return {
      name: 'emails_newest',
      text: `select ${EMAIL} from (
          select * from emails where workspace_id = $1 and message_id < $2 order by message_id desc limit $3) e
        join messages m on ${OF_MESSAGE} order by m.id desc`,
      values: [workspaceId, beforeId, limit],
    }
  }
  if (destination !== undefined) {
    return {
      name: 'emails_to_destination',
      text: `select ${EMAIL} from messages m join emails e on ${OF_MESSAGE}
        where m.workspace_id = $1 and m.source_id is null and m.destination = $2 and m.id < $3
          and ($4::bigint is null or m.contact_id = $4) order by m.id desc limit $5`,
      values: [workspaceId, destination, beforeId, contactId ?? null, limit],
    }
  }
  return {
    name: 'emails_to_contact',
    text: `select ${EMAIL} from messages m join emails e on ${OF_MESSAGE}
      where m.workspace_id = $1 and m.source_kind <> 'broadcast' and m.contact_id = $2 and m.id < $3
      order by m.id desc limit $4`,
    values: [workspaceId, contactId, beforeId, limit],
  }
}

/** A message with what it says; columns of its content are null when it is of a broadcast or an automation. */
export type EmailDetailRow = EmailRow & {
  templateVersion: number | null
  destinationName: string | null
  /** JSON. */
  furtherTo: string | null
  metadata: string | null
  fromEmail: string | null
  fromName: string | null
  /** JSON; null for a message without a content of its own. */
  cc: string | null
  bcc: string | null
  replyTo: string | null
  headers: string | null
  attachments: string
  nextAttemptAt: string | null
  integrationId: string | null
  provider: Provider | null
  providerMessageId: string | null
  reply: string | null
}

export function emailByIdStatement(workspaceId: string, id: string): Statement<EmailDetailRow> {
  return {
    name: 'email_by_id',
    text: `select ${EMAIL}, e.template_version as "templateVersion", e.destination_name as "destinationName", e.further_to as "furtherTo", m.metadata,
        e.from_email as "fromEmail", e.from_name as "fromName", e.cc, e.bcc, e.reply_to as "replyTo", e.headers,
        coalesce((
          select json_agg(json_build_object('fileName', a.file_name, 'contentType', a.content_type,
            'contentId', a.content_id, 'sizeBytes', length(a.content)) order by a.position)
          from email_attachments a
          where a.workspace_id = m.workspace_id and a.message_id = m.id and a.created_at = m.created_at), '[]') as attachments,
        case when q.turn is null then q.due_at end as "nextAttemptAt", m.integration_id as "integrationId", m.provider,
        m.provider_message_id as "providerMessageId", m.reply
      from messages m left join emails e on ${OF_MESSAGE}
      left join message_queue q on q.workspace_id = m.workspace_id and q.message_id = m.id
      where m.workspace_id = $1 and m.id = $2`,
    values: [workspaceId, id],
  }
}

export type AttemptRow = { at: string; attempt: number; outcome: string; cause: string; reply: string | null }

/** Attempts that did not end with the message accepted, oldest first. */
export function attemptsOfStatement(workspaceId: string, messageId: string, limit: number): Statement<AttemptRow> {
  return {
    name: 'attempts_of_message',
    text: `select at, attempt, outcome, cause, reply from message_attempts
      where workspace_id = $1 and message_id = $2 order by at limit $3`,
    values: [workspaceId, messageId, limit],
  }
}

export type ReportRow = { at: string; kind: 'bounce' | 'complaint'; cause: string | null; detail: string | null }

/** Bounces and complaints that were reported of a message, oldest first. */
export function reportsOfStatement(workspaceId: string, messageId: string, limit: number): Statement<ReportRow> {
  return {
    name: 'feedback_of_message',
    text: `select received_at as at, kind, cause, detail from feedback_reports
      where workspace_id = $1 and message_id = $2 order by received_at limit $3`,
    values: [workspaceId, messageId, limit],
  }
}
