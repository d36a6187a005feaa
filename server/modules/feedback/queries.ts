import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { ofContact } from '../sending/message-source.ts'
import type { Cause } from './feedback-item.ts'

export type AboutMessage = { id: string; destination: string }
/** `hasOthers`: it went to further people as well. `isSettled`: its last attempt has an outcome. */
export type AddressedMessage = AboutMessage & { hasOthers: boolean; createdAt: string; isSettled: boolean }

/** Messages, held until the transaction ends: an erasure comes before what is recorded of them, or after it. */
export async function messagesWithIds(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<AddressedMessage[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<AddressedMessage>({
    name: 'messages_of_feedback',
    text: `select m.id, m.destination, m.created_at as "createdAt", m.state <> 'pending' as "isSettled", coalesce(json_array_length(e.cc) + json_array_length(e.bcc), 0) > 0 as "hasOthers" from messages m
      left join emails e on e.workspace_id = m.workspace_id and e.message_id = m.id and e.created_at = m.created_at
      where m.workspace_id = $1 and m.id = any ($2::int8[]) order by m.id for no key update of m`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

/** A message by what its provider called it and whom it went to: the id alone is in no index. */
export async function messagesOfProvider(
  tx: Transaction,
  workspaceId: string,
  { providerMessageId, addresses }: { providerMessageId: string; addresses: readonly string[] },
): Promise<AboutMessage[]> {
  const { rows } = await tx.query<AboutMessage>({
    name: 'messages_of_provider',
    text: `with given as materialized (select unnest($2::text[]) as address)
      select m.id, m.destination from given join messages m
        on m.workspace_id = $1 and m.destination = given.address and m.source_id is null and m.provider_message_id = $3
      union all
      select m.id, m.destination from messages m
      where m.workspace_id = $1 and m.source_id is not null and m.provider_message_id = $3 and ${ofContact(`= any (array(
        select c.id from given join contacts c on c.workspace_id = $1 and c.email = given.address))`)}`,
    values: [workspaceId, textArray(addresses), providerMessageId],
  })
  return rows
}

export async function contactsWithEmails(
  tx: Transaction,
  workspaceId: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  if (emails.length === 0) return new Map()
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'contacts_of_feedback',
    text: 'select id, email from contacts where workspace_id = $1 and email = any ($2::text[])',
    values: [workspaceId, textArray(emails)],
  })
  return new Map(rows.map(({ id, email }) => [email, id]))
}

export type NewReport = {
  key: string
  source: string
  kind: string
  cause: Cause | null
  destination: string
  messageId: string | null
  detail: string | null
  /** Nobody could read what it says: it confirms no other. */
  isUnread: boolean
}

export type StoredReport = {
  key: string
  /** A report of the same address that was unsure as well came days before. */
  isConfirmed: boolean
  /** The message has bounced for good already. */
  isKnown: boolean
}

/** After how long the same answer of a closed mailbox is believed. */
const CONFIRMED_AFTER_DAYS = 3

/**
 * Stores reports; answers those that were not there, in no order. In the order of keys, so that two never wait in a circle.
 * One that is there is locked, which a commit waits for the standby with: a repeat too is answered for with what is safe.
 */
export async function insertReports(
  tx: Transaction,
  workspaceId: string,
  reports: readonly NewReport[],
): Promise<StoredReport[]> {
  const texts = (pick: (report: NewReport) => string | null) => textArray(reports.map(pick))
  const { rows } = await tx.query<StoredReport>({
    name: 'insert_feedback_reports',
    text: `with added as (
        insert into feedback_reports (workspace_id, key, source, kind, cause, destination, message_id, detail, is_unread)
        select distinct on (key) $1::bigint, key, source, kind, cause, destination, message_id, detail, is_unread
        from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::bool[])
          as given (key, source, kind, cause, destination, message_id, detail, is_unread) order by key
        on conflict (workspace_id, key) do update set key = excluded.key where false
        returning key, cause, destination, message_id, is_unread
      )
      select a.key,
        a.cause = 'unsure' and not a.is_unread and exists (
          select from feedback_reports r where r.workspace_id = $1 and r.destination = a.destination and r.cause = 'unsure'
            and not r.is_unread and r.received_at < now() - make_interval(days => ${CONFIRMED_AFTER_DAYS})) as "isConfirmed",
        a.message_id is not null and exists (
          select from feedback_reports r where r.workspace_id = $1 and r.message_id = a.message_id
            and r.cause = 'permanent') as "isKnown"
      from added a`,
    values: [
      workspaceId,
      texts(({ key }) => key),
      texts(({ source }) => source),
      texts(({ kind }) => kind),
      texts(({ cause }) => cause),
      texts(({ destination }) => destination),
      int8Array(reports.map(({ messageId }) => messageId)),
      texts(({ detail }) => detail),
      reports.map(({ isUnread }) => isUnread),
    ],
  })
  return rows
}
