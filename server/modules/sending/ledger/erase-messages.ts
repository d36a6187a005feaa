import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { ofContact } from '../message-source.ts'

/** A person as its messages are found: of its contacts, and of nobody to its address until a moment. */
export type MessagesOf = {
  contactIds: readonly string[]
  destination: string | null
  /** RFC 3339. Messages that went to the address later are about somebody new. */
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
        select from message_queue q cross join lateral (
          select contact_id from messages m
          where m.workspace_id = $1 and m.id = q.message_id and m.created_at = q.message_created_at offset 0) m
        where q.workspace_id = $1 and q.turn is not null and m.contact_id = any ($2::int8[])) as busy`,
    values: [workspaceId, int8Array(contactIds)],
  })
  return rows[0]!.busy
}

/**
 * Takes addresses and what servers said of them out of the ledger, the next of the persons' messages; totals stay.
 * Messages still queued are not sent. Returns the messages, none when none are left.
 */
export async function eraseMessages(
  tx: Transaction,
  workspaceId: string,
  { theirs, rows: limit }: { theirs: readonly MessagesOf[]; rows: number },
): Promise<MessageKey[]> {
  const addressed = theirs.filter(({ destination }) => destination !== null)
  const { rows } = await tx.query<MessageKey>({
    name: 'erase_messages',
    text: `with theirs as materialized (
        select id, created_at from (
          (select id, created_at from messages m
            where workspace_id = $1 and ${ofContact('= any ($2::int8[])')} and destination <> '' limit $5)
          union
          (select m.id, m.created_at from unnest($3::text[], $4::text[]::timestamptz[]) as t(destination, until)
            join messages m on m.workspace_id = $1 and m.source_id is null and m.destination = t.destination
              and m.contact_id is null and m.created_at <= t.until limit $5)) found
        order by id
      ), attempts as (
        update message_attempts a set reply = null from theirs
        where a.workspace_id = $1 and a.message_id = theirs.id and a.reply is not null
      )
      update messages m set destination = '', reply = null, provider_message_id = null, metadata = null from theirs
      where m.workspace_id = $1 and m.id = theirs.id and m.created_at = theirs.created_at
      returning m.id, m.created_at as "createdAt"`,
    values: [
      workspaceId,
      int8Array(theirs.flatMap(({ contactIds }) => contactIds)),
      textArray(addressed.map(({ destination }) => destination)),
      textArray(addressed.map(({ until }) => until)),
      limit,
    ],
  })
  return rows
}
