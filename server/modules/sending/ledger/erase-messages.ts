import { byteaArray, int8Array, textArray } from '../../../platform/db/arrays.ts'
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
/** Messages that were found and erased; `isBusy` when a worker has one of them in hand, which stays until that has ended. */
export type ErasedMessages = { erased: MessageKey[]; isBusy: boolean }

/** Erases the next of the persons' messages; none when none are left but those in hand. */
export async function eraseMessages(
  tx: Transaction,
  workspaceId: string,
  { theirs, rows: limit }: { theirs: readonly MessagesOf[]; rows: number },
): Promise<ErasedMessages> {
  const addressed = theirs.filter(({ destination }) => destination !== null)
  const { rows } = await tx.query<MessageKey>({
    name: 'messages_of_persons',
    text: `select id, created_at as "createdAt" from (
        (select id, created_at from messages m
          where workspace_id = $1 and ${ofContact('= any ($2::int8[])')} and destination <> '' limit $5)
        union
        (select m.id, m.created_at from unnest($3::text[], $4::text[]::timestamptz[]) as t(destination, until)
          join messages m on m.workspace_id = $1 and m.source_id is null and m.destination = t.destination
            and m.contact_id is null and m.created_at <= t.until limit $5)) found`,
    values: [
      workspaceId,
      int8Array(theirs.flatMap(({ contactIds }) => contactIds)),
      textArray(addressed.map(({ destination }) => destination)),
      textArray(addressed.map(({ until }) => until)),
      limit,
    ],
  })
  return eraseFound(tx, workspaceId, rows)
}

/** Persons as they are recognised: `alias_hash` of an alias, as PostgreSQL writes bytea. */
export type Recognised = { aliasHashes: readonly string[]; until: string }
/** The last message that was looked at, by where it went and its number. */
export type AtMessage = { destination: string; id: string }

/**
 * Looks at the next single messages of nobody, by where they went, and erases those to an address that is known by its hash alone.
 * `last`: undefined behind the end.
 */
export async function eraseRecognisedMessages(
  tx: Transaction,
  workspaceId: string,
  { theirs, after, rows: limit }: { theirs: readonly Recognised[]; after: AtMessage; rows: number },
): Promise<ErasedMessages & { last: AtMessage | undefined }> {
  const known = theirs.flatMap(({ aliasHashes, until }) => aliasHashes.map((hash) => ({ hash, until })))
  const { rows } = await tx.query<MessageKey & { destination: string; isLast: boolean }>({
    name: 'messages_recognised',
    text: `with stretch as materialized (
        select id, created_at, destination, contact_id from messages
        where workspace_id = $1 and source_id is null and (destination, id) > ($2::text, $3::bigint) and destination <> ''
        order by destination, id limit $4
      )
      select s.id, s.created_at as "createdAt", s.destination, false as "isLast" from stretch s
      where s.contact_id is null and exists (
        select from unnest($5::bytea[], $6::text[]::timestamptz[]) as k(hash, until)
        where k.hash = alias_hash($1, 'email', s.destination) and s.created_at <= k.until)
      union all
      (select id, created_at, destination, true from stretch order by destination desc, id desc limit 1)`,
    values: [
      ...[workspaceId, after.destination, after.id, limit],
      byteaArray(known.map(({ hash }) => Buffer.from(hash.slice(2), 'hex'))),
      textArray(known.map(({ until }) => until)),
    ],
  })
  const last = rows.find(({ isLast }) => isLast)
  const found = rows.filter(({ isLast }) => !isLast)
  return { ...(await eraseFound(tx, workspaceId, found)), last }
}

/**
 * Takes addresses and what servers said of them out of the ledger; totals stay. Mail that is still queued is taken back. Held first and
 * written then, by another statement: a result that is being written meanwhile is either seen whole, or sees that the
 * address is gone (record-results.ts). In the order of everybody: the queue, then the ledger. It waits for nobody at the queue: a row
 * that somebody has is busy.
 */
async function eraseFound(tx: Transaction, workspaceId: string, found: readonly MessageKey[]): Promise<ErasedMessages> {
  if (found.length === 0) return { erased: [], isBusy: false }
  const { rows: held } = await tx.query<MessageKey>({
    name: 'hold_messages_to_erase',
    text: `with given as materialized (${GIVEN}), queued as materialized (
        select message_id from message_queue where workspace_id = $1 and message_id = any ($2::int8[])
      ), taken as materialized (
        select message_id from message_queue
        where workspace_id = $1 and message_id = any ($2::int8[]) and turn is null order by message_id for update skip locked
      )
      select m.id, m.created_at as "createdAt" from given g
        join messages m on m.workspace_id = $1 and m.id = g.message_id and m.created_at = g.created_at
      where m.id <> all (array(select message_id from queued except select message_id from taken))
      order by m.id for no key update of m`,
    values: keysOf(workspaceId, found),
  })
  const claimed = held.length === 0 ? new Set<string>() : await claimedMeanwhile(tx, workspaceId, held)
  const erased = held.filter(({ id }) => !claimed.has(id))
  if (erased.length > 0) await eraseHeld(tx, workspaceId, erased)
  return { erased, isBusy: erased.length < found.length }
}

/**
 * Those that were put back into the queue, to be sent once more, while their rows were waited for, and that somebody has. Once these are held,
 * nobody does so.
 */
async function claimedMeanwhile(
  tx: Transaction,
  workspaceId: string,
  held: readonly MessageKey[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'messages_claimed_meanwhile',
    text: `with taken as materialized (
        select message_id from message_queue
        where workspace_id = $1 and message_id = any ($2::int8[]) and turn is null order by message_id for update skip locked
      )
      select message_id as id from message_queue where workspace_id = $1 and message_id = any ($2::int8[])
        and message_id <> all (array(select message_id from taken))`,
    values: [workspaceId, int8Array(held.map(({ id }) => id))],
  })
  return new Set(rows.map(({ id }) => id))
}

const GIVEN =
  'select message_id, created_at from unnest($2::int8[], $3::text[]::timestamptz[]) as g(message_id, created_at)'

function keysOf(workspaceId: string, messages: readonly MessageKey[]): unknown[] {
  const ids = int8Array(messages.map(({ id }) => id))
  return [workspaceId, ids, textArray(messages.map(({ createdAt }) => createdAt))]
}

async function eraseHeld(tx: Transaction, workspaceId: string, held: readonly MessageKey[]): Promise<void> {
  await tx.query({
    name: 'erase_messages',
    text: `with given as materialized (${GIVEN}), gone as (
        delete from message_queue where workspace_id = $1 and message_id = any ($2::int8[])
      ), attempts as (
        update message_attempts a set reply = null from given
        where a.workspace_id = $1 and a.message_id = given.message_id and a.reply is not null
      )
      update messages m set destination = '', reply = null, provider_message_id = null, metadata = null,
        state = case when m.state = 'pending' then 'skipped' else m.state end,
        reason = case when m.state = 'pending' then 'contact_gone' else m.reason end,
        settled_at = case when m.state = 'pending' then now() else m.settled_at end
      from given
      where m.workspace_id = $1 and m.id = given.message_id and m.created_at = given.created_at`,
    values: keysOf(workspaceId, held),
  })
}
