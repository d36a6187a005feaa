import { byteaArray, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Persons as they are recognised: `alias_hash` of an alias, as PostgreSQL writes bytea; in mail until a moment (RFC 3339). */
export type CopiedTo = { aliasHashes: readonly string[]; until: string }

/** Columns with addresses beside the message's own, and where each element has its. */
const COPIES = { cc: `x ->> 'address'`, bcc: `x #>> '{}'`, further_to: `x ->> 'address'`, reply_to: `x ->> 'address'` }

const isTheirs = (address: string) => `exists (select from known k
  where k.hash = alias_hash($1, 'email', lower(${address})) and e.created_at <= k.until)`

const names = Object.entries(COPIES).map(
  ([column, address]) => `exists (select from json_array_elements(e.${column}) x where ${isTheirs(address)})`,
)
const without = Object.entries(COPIES).map(
  ([column, address]) => `${column} = (select coalesce(json_agg(x order by n), '[]')
    from json_array_elements(e.${column}) with ordinality as a(x, n) where not ${isTheirs(address)})`,
)
const hasCopies = Object.keys(COPIES)
  .map((column) => `${column}::text <> '[]'`)
  .join(' or ')

/**
 * Takes persons out of the copies of the next mails to others: what is still queued goes without them. Answers the last mail that was looked
 * at, undefined behind the end.
 */
export async function eraseCopies(
  tx: Transaction,
  workspaceId: string,
  { theirs, afterId, rows: limit }: { theirs: readonly CopiedTo[]; afterId: string; rows: number },
): Promise<string | undefined> {
  const known = theirs.flatMap(({ aliasHashes, until }) => aliasHashes.map((hash) => ({ hash, until })))
  const { rows } = await tx.query<{ last: string | null }>({
    name: 'erase_copies',
    text: `with known as materialized (
        select hash, until from unnest($4::bytea[], $5::text[]::timestamptz[]) as k(hash, until)
      ), stretch as materialized (
        select message_id, created_at, ${hasCopies} as has_copies from emails
        where workspace_id = $1 and message_id > $2 order by message_id limit $3
      ), erased as (
        update emails e set ${without.join(', ')} from stretch s
        where s.has_copies and e.workspace_id = $1 and e.message_id = s.message_id and e.created_at = s.created_at
          and (${names.join(' or ')})
      )
      select max(message_id) as last from stretch`,
    values: [
      ...[workspaceId, afterId, limit],
      byteaArray(known.map(({ hash }) => Buffer.from(hash.slice(2), 'hex'))),
      textArray(known.map(({ until }) => until)),
    ],
  })
  return rows[0]!.last ?? undefined
}
