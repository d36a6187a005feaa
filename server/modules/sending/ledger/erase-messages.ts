import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { ofContact } from '../message-source.ts'

/** Messages that one step takes: well under a second's work. */
const MESSAGES_PER_STEP = 1_000

/** Persons as their messages are found: of their contacts, and of nobody to one of their addresses until a moment. */
export type MessagesOf = {
  workspaceId: string
  contactIds: readonly string[]
  destinations: readonly string[]
  /** RFC 3339. Messages that went to an address later are about somebody new. */
  until: string
}

export type MessageKey = { id: string; createdAt: string }

/** Whether a worker has a message to one of these contacts: its end would tell of the person once more. */
export async function areBeingMailed(
  tx: Transaction,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<boolean> {
  const { rows } = await tx.query<{ busy: boolean }>({
    name: 'contacts_being_mailed',
    text: `select exists (
        select from messages m join message_queue q on q.workspace_id = $1 and q.message_id = m.id and q.turn is not null
        where m.workspace_id = $1 and ${ofContact('= any ($2::int8[])')} and m.state = 'pending') as busy`,
    values: [workspaceId, int8Array(contactIds)],
  })
  return rows[0]!.busy
}

/**
 * Takes addresses and what servers said of them out of the ledger, the next of the persons' messages; totals stay.
 * Messages still queued are not sent. Returns the messages, none when none are left.
 */
export async function eraseMessages(tx: Transaction, persons: MessagesOf): Promise<MessageKey[]> {
  const { rows } = await tx.query<MessageKey>({
    name: 'erase_messages',
    text: `with theirs as materialized (
        select id, created_at from (
          (select id, created_at from messages m
            where workspace_id = $1 and ${ofContact('= any ($2::int8[])')} and destination <> '' limit ${MESSAGES_PER_STEP})
          union
          (select id, created_at from messages
            where workspace_id = $1 and source_id is null and destination = any ($3::text[])
              and contact_id is null and created_at <= $4 limit ${MESSAGES_PER_STEP})) found
        order by id
      ), attempts as (
        update message_attempts a set reply = null from theirs
        where a.workspace_id = $1 and a.message_id = theirs.id and a.reply is not null
      )
      update messages m set destination = '', reply = null, provider_message_id = null from theirs
      where m.workspace_id = $1 and m.id = theirs.id and m.created_at = theirs.created_at
      returning m.id, m.created_at as "createdAt"`,
    values: [persons.workspaceId, int8Array(persons.contactIds), textArray(persons.destinations), persons.until],
  })
  return rows
}
