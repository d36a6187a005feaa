import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import type { Suppression } from '../suppression/schemas.ts'

/** An entry of the journal, as it is kept outside of the database. */
export type JournalEntry = { workspaceId: string; rowId: string } & (
  | { kind: 'unsubscribe'; destination: string; sendingSource: string }
  | { kind: 'suppression'; destination: string; reason: Suppression['reason']; detail: string | null }
  | { kind: 'erasure'; contactIds: string[]; aliasHashes: string[] }
  | { kind: 'unsubscribe' | 'suppression' | 'erasure'; gone: true }
)

export type JournalPosition = { tx: string; id: string }

/** Rows that one statement reads. */
export const ENTRIES_AT_ONCE = 5_000

type Row = JournalPosition & {
  workspaceId: string
  rowId: string
  kind: JournalEntry['kind']
  gone: boolean
  unsubscribe: string | null
  suppression: string | null
  erasure: string | null
}

/**
 * The next entries behind a position, in the order (tx, id) below the oldest open transaction, so that none is passed over
 * (ADR 1). `floor`: entries up to this id are of lives before the last restore, and in the file if they were ever to be.
 * One whose row is gone by now says nothing: that it is gone is an entry of its own.
 */
export async function entriesAfter(
  pool: pg.Pool,
  { tx, id }: JournalPosition,
  floor: string,
): Promise<{ at: JournalPosition; entry: JournalEntry | undefined }[]> {
  const rows = await queryInScope<Row>(pool, ALL_WORKSPACES, {
    name: 'journal_entries_after',
    text: `select e.tx, e.id, e.workspace_id as "workspaceId", e.row_id as "rowId", e.kind, e.gone,
        case when e.kind = 'unsubscribe' then (select json_build_object('destination', u.destination,
            'sendingSource', u.sending_source)
          from unsubscribes u where u.workspace_id = e.workspace_id and u.id = e.row_id) end as unsubscribe,
        case when e.kind = 'suppression' then (select json_build_object('destination', s.destination, 'reason', s.reason,
            'detail', s.detail)
          from suppressions s where s.workspace_id = e.workspace_id and s.id = e.row_id) end as suppression,
        case when e.kind = 'erasure' then (select json_build_object('contactIds', x.contact_ids::text[],
            'aliasHashes', array(select encode(h, 'hex') from unnest(x.alias_hashes) h))
          from erasures x where x.workspace_id = e.workspace_id and x.id = e.row_id) end as erasure
      from journal_entries e
      where (e.tx, e.id) > ($1::bigint, $2::bigint) and e.id > $3::bigint and e.tx < outbox_horizon()
      order by e.tx, e.id limit ${ENTRIES_AT_ONCE}`,
    values: [tx, id, floor],
  })
  return rows.map((row) => ({ at: { tx: row.tx, id: row.id }, entry: entryOf(row) }))
}

function entryOf({ workspaceId, rowId, kind, gone, ...said }: Row): JournalEntry | undefined {
  if (gone) return { workspaceId, rowId, kind, gone }
  const text = said[kind]
  return text === null ? undefined : { workspaceId, rowId, kind, ...JSON.parse(text) }
}

/** Longer than any process that keeps a file is away. */
const KEPT_DAYS = 30

/** An import of suppressions, or a list that is unsubscribed, is hundreds of thousands of entries of one day. Returns how many have gone. */
export function pruneJournal(pool: pg.Pool, isOver?: () => boolean): Promise<number> {
  return deleteInSteps(pool, ALL_WORKSPACES, {
    from: 'journal_entries',
    where: 'at < now() - make_interval(days => $1)',
    values: [KEPT_DAYS],
    ...(isOver ? { isOver } : {}),
  })
}
