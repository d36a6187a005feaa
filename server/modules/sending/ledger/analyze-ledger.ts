import type pg from 'pg'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'

/** A partition is looked at anew when it is so many times as large as the planner knows. */
const GROWN = 4
/** Some three hundred messages: below that no plan is a bad one. */
const PAGES_MIN = 8
const ANALYZE_TIMEOUT_MS = 20_000
/** Another holder of the partition is vacuuming or analysing it. */
const LOCK_MS = 200

/**
 * Has the planner learn how large the ledger has become, where it has grown much since it last knew. Connections keep
 * plans that they made when the ledger was empty, and others of its statement's tables perhaps as well: then one index is
 * as good as another, and who is not in the contacts was looked for by walking through all of a workspace. New statistics
 * of one table have every statement on it planned anew, on every connection. Called while a broadcast is planned, for
 * autovacuum may take a minute to come by. Returns the names of the partitions it has analysed.
 */
export async function analyzeGrownLedger(pool: pg.Pool): Promise<string[]> {
  const { rows: grown } = await pool.query<{ name: string }>({
    name: 'grown_ledger_partitions',
    text: `select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'messages'::regclass
          and pg_relation_size(c.oid) / current_setting('block_size')::int > $1 * greatest(c.relpages, 0) + $2
        order by 1`,
    values: [GROWN, PAGES_MIN],
  })
  const analyzed: string[] = []
  for (const { name } of grown) if (await analyzePartition(pool, name)) analyzed.push(name)
  return analyzed
}

/**
 * A transaction for each: it writes what it has learnt at its end, and another partition would be read while that holds
 * the log back. False while somebody else has the partition.
 */
async function analyzePartition(pool: pg.Pool, name: string): Promise<boolean> {
  return inTransaction(pool, ALL_WORKSPACES, async (plain) => {
    const tx = withQueryTimeout(plain, ANALYZE_TIMEOUT_MS)
    await tx.query(`set local lock_timeout = ${LOCK_MS}`)
    // The columns of its keys and of what is asked together with them.
    await tx.query(`analyze ${name} (workspace_id, id, source_kind, source_id, contact_id, state)`)
    return true
  }).catch((error: unknown) => {
    if (databaseOutcome(error) !== 'conflict') throw error
    return false
  })
}
