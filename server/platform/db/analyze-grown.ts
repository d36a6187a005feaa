import type pg from 'pg'
import { databaseOutcome } from './errors.ts'
import { withQueryTimeout } from './query-timeout.ts'
import { ALL_WORKSPACES, inTransaction } from './transaction.ts'

/** A table is looked at anew when it is so many times as large as the planner knows. */
const GROWN = 4
/** Below that no plan is a bad one. */
const ROWS_MIN = 300
/** Those rows of a narrow table. */
const PAGES_MIN = 8
const ANALYZE_TIMEOUT_MS = 20_000
/** Another holder of the table is vacuuming or analysing it. */
const LOCK_MS = 200

/** Tables that may have grown, and the columns of each that plans depend on. */
export type GrowingTables = {
  /** Of the statement that looks for them. */
  name: string
  /** SQL whose rows are `(regclass or oid, column names, separated by commas)`. */
  text: string
}

/**
 * The tables at both ends of foreign keys. Their checks and cascades are planned by PostgreSQL itself, once a connection, and
 * no setting of a statement reaches them. Queue tables (ADR 5) are left as they are, and partitions to who makes them.
 */
export const TABLES_WITH_FOREIGN_KEYS: GrowingTables = {
  name: 'grown_tables_with_foreign_keys',
  text: `select c.oid, string_agg(distinct quote_ident(a.attname), ', ')
    from pg_constraint f
    cross join lateral (values (f.confrelid, f.confkey), (f.conrelid, f.conkey)) at_end (oid, key)
    join pg_class c on c.oid = at_end.oid and c.relkind = 'r' and not c.relispartition
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any (at_end.key)
    where f.contype = 'f' and f.connamespace = current_schema()::regnamespace
      and coalesce(array_to_string(c.reloptions, ','), '') not like '%autovacuum_analyze_threshold=%'
    group by c.oid`,
}

/**
 * Has the planner learn how large tables have become, where they have grown much since it last knew. Connections keep plans
 * that they made when a table was empty: then reading all of it is as good as any index, and one index as good as another.
 * New statistics have every statement on a table planned anew, on every connection. Autovacuum does this too, but may take a
 * minute to come by, in which a table can grow from fifty rows to a hundred thousand. Pages tell at once; rows that are not
 * committed fill pages and are not seen, so that a look amid a large transaction finds a large table with next to nothing in it.
 * Committed rows, counted by PostgreSQL a second or more late, have it looked at again. Returns the names of those it has analysed.
 */
export async function analyzeGrown(pool: pg.Pool, tables: GrowingTables): Promise<string[]> {
  const { rows: grown } = await pool.query<{ name: string; columns: string }>({
    name: tables.name,
    text: `select c.oid::regclass::text as name, t.columns
      from (${tables.text}) t (oid, columns) join pg_class c on c.oid = t.oid
      where pg_relation_size(c.oid) / current_setting('block_size')::int > $1 * greatest(c.relpages, 0) + $2
        or pg_stat_get_live_tuples(c.oid) > $1 * greatest(c.reltuples, 0) + $3
      order by 1`,
    values: [GROWN, PAGES_MIN, ROWS_MIN],
  })
  const analyzed: string[] = []
  for (const { name, columns } of grown) if (await analyzeTable(pool, `${name} (${columns})`)) analyzed.push(name)
  return analyzed
}

/**
 * A transaction for each: it writes what it has learnt at its end, and another table would be read while that holds the log
 * back. False while somebody else has the table.
 */
async function analyzeTable(pool: pg.Pool, table: string): Promise<boolean> {
  return inTransaction(pool, ALL_WORKSPACES, async (plain) => {
    const tx = withQueryTimeout(plain, ANALYZE_TIMEOUT_MS)
    await tx.query(`set local lock_timeout = ${LOCK_MS}`)
    await tx.query(`analyze ${table}`)
    return true
  }).catch((error: unknown) => {
    if (databaseOutcome(error) !== 'conflict') throw error
    return false
  })
}
