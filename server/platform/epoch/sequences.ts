import type { Queryable } from '../db/transaction.ts'

/** The last numbers of the sequences by name, as decimal strings. */
export type Sequences = Readonly<Record<string, string>>

/**
 * How far ids move at a restore: what was given after the backup at 10,000 a second for 115 days. Ninety thousand restores
 * stay below 2^53. A sequence with little room gives up an eighth of what it has left.
 */
const AHEAD = 100_000_000_000n

/** Every sequence that gives ids: all of the catalogue, so that nobody has to list a new one. */
const SEQUENCES = `from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
  where c.relpersistence <> 't' and s.seqincrement > 0 and n.nspname not in ('pg_catalog', 'information_schema')`
const NAME = `n.nspname || '.' || c.relname`

export async function readSequences(db: Queryable): Promise<Sequences> {
  const { rows } = await db.query<{ name: string; last: string }>({
    name: 'read_sequences',
    text: `select ${NAME} as name, coalesce(pg_sequence_last_value(s.seqrelid), s.seqstart - 1) as last ${SEQUENCES}
      order by 1`,
  })
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/**
 * Moves every sequence far behind what it gave, and behind what is known to have been given; returns where they stood. Not
 * undone by a rollback: a number that is passed over harms nobody.
 */
export async function moveSequences(db: Queryable, given: Sequences): Promise<Sequences> {
  const { rows } = await db.query<{ name: string; last: string; moved: string }>(
    `with standing as materialized (
       select s.seqrelid, s.seqmax, ${NAME} as name, coalesce(pg_sequence_last_value(s.seqrelid), s.seqstart - 1) as last,
         coalesce(($1::jsonb ->> (${NAME}))::bigint, 0) as given ${SEQUENCES}
     )
     select name, last, setval(seqrelid::regclass,
       base + greatest(1, least(${AHEAD}, (seqmax - base) / 8))) as moved
     from standing, lateral (select least(seqmax - 1, greatest(last, given)) as base) b`,
    [JSON.stringify(given)],
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}
