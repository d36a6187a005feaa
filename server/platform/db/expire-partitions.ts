import type pg from 'pg'
import { DAY_MS } from '../durations.ts'
import { databaseOutcome, errorCode } from './errors.ts'
import { attachPartition, type ExpiringTable, type Partition, partitionsBefore } from './partitions.ts'
import { withQueryTimeout } from './query-timeout.ts'
import { SQLSTATE } from './sqlstates.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from './transaction.ts'

/**
 * Something that rows of a table are kept for although they have expired. It may read the partition itself, by its name,
 * which may be detached from its table by then. A need of a row must be written by a transaction that has read the row.
 */
export type PartitionNeed = { table: string; isNeeded(tx: Transaction, partition: Partition): Promise<boolean> }

/** The advisory lock of a table, `$1`, whose partitions leave; one who must find them all holds it shared. */
export const EXPIRY_LOCK = `(hashtextextended('partitions', 0) # hashtextextended($1, 0))`

/** Time limit of a step that waits for others' transactions to end, or looks through a queue of millions. */
const SLOW_MS = 60_000
const LOCK_MS = 500
/** The end of a detaching waits with a lock that keeps other partitions from being made. */
const FINALIZE_MS = 5_000
/** A reader of longer than this, a dump above all, is not waited for: nobody would see the partition meanwhile. */
const LONG_READER_SECONDS = 30

export type Expiry = { needs: readonly PartitionNeed[]; now: Date; longReaderSeconds?: number }

/**
 * Drops the partitions whose every row is older than `keepDays` and that nothing needs, without making writers wait.
 * Finishes what a run that was cut off has left. One process at a time; the others drop nothing. Returns their names.
 */
export async function dropExpiredPartitions(
  pool: pg.Pool,
  table: ExpiringTable,
  { needs, now, longReaderSeconds = LONG_READER_SECONDS }: Expiry,
): Promise<string[]> {
  const before = new Date(now.getTime() - table.keepDays * DAY_MS)
  const own = needs.filter((need) => need.table === table.table)
  const dropped: string[] = []
  await alone(pool, table.table, async () => {
    for (const partition of await partitionsBefore(pool, table, before)) {
      const leaving = { partition, needs: own, longReaderSeconds }
      if (await dropUnlessNeeded(pool, table.table, leaving)) dropped.push(partition.name)
    }
  })
  return dropped
}

type Leaving = { partition: Partition; needs: readonly PartitionNeed[]; longReaderSeconds: number }

/**
 * Detaching waits for everybody who may have read the partition. A need that arose until then is committed, and is seen
 * by the second look; none can arise after that.
 */
async function dropUnlessNeeded(pool: pg.Pool, table: string, leaving: Leaving): Promise<boolean> {
  const { partition } = leaving
  try {
    if (await isNeeded(pool, leaving)) {
      await putBack(pool, table, partition)
      return false
    }
    if (await isReadForLong(pool, table, leaving)) return false
    await detach(pool, table, partition)
    if (await isNeeded(pool, leaving)) {
      await putBack(pool, table, partition)
      return false
    }
    await dropTable(pool, partition.name)
    return true
  } catch (error) {
    // A process of the release before is at it, or has done it.
    const code = errorCode(error)
    if (code === SQLSTATE.undefinedTable || code === SQLSTATE.objectNotInPrerequisiteState) return false
    // Somebody reads it still: the next run finds it detached, or on the way.
    if (code === SQLSTATE.lockNotAvailable || databaseOutcome(error) === 'timed_out') return false
    throw error
  }
}

/**
 * Whether somebody has read the table or the partition for long, or since when is not ours to see. A detached partition is
 * seen by nobody from the moment it is asked for, and until that reader is gone it could neither leave nor come back.
 */
async function isReadForLong(
  pool: pg.Pool,
  table: string,
  { partition, longReaderSeconds }: Leaving,
): Promise<boolean> {
  const { rows } = await pool.query<{ yes: boolean }>(
    `select exists (
       select from pg_locks l left join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'relation' and l.relation in ($1::regclass, $2::regclass) and l.granted
         and l.mode <> 'ShareUpdateExclusiveLock'
         and l.database = (select oid from pg_database where datname = current_database())
         and coalesce(a.xact_start, '-infinity') <= now() - $3 * interval '1 second') as yes`,
    [table, partition.name, longReaderSeconds],
  )
  return rows[0]!.yes
}

/** Asking for the lock gives the transaction its id already, so it waits for readers no longer than others may wait for it. */
async function dropTable(pool: pg.Pool, name: string): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(`set local lock_timeout = ${LOCK_MS}`)
    await withQueryTimeout(tx, SLOW_MS).query(`drop table ${name}`)
  })
}

function isNeeded(pool: pg.Pool, { partition, needs }: Leaving): Promise<boolean> {
  return inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    for (const need of needs) if (await need.isNeeded(withQueryTimeout(tx, SLOW_MS), partition)) return true
    return false
  })
}

/** Detached already, where a run was cut off before the drop; half detached, where it was while it waited. */
async function detach(pool: pg.Pool, table: string, { name }: Partition): Promise<void> {
  const { rows } = await pool.query<{ pending: boolean }>(
    'select inhdetachpending as pending from pg_inherits where inhrelid = $1::regclass',
    [name],
  )
  if (rows.length === 0) return
  const [how, withinMs] = rows[0]!.pending ? ['finalize', FINALIZE_MS] : ['concurrently', SLOW_MS]
  await pool.query({
    text: `alter table ${table} detach partition ${name} ${how}`,
    query_timeout: withinMs,
  } as pg.QueryConfig)
}

async function putBack(pool: pg.Pool, table: string, partition: Partition): Promise<void> {
  const { rows } = await pool.query<{ attached: boolean }>(
    'select not inhdetachpending as attached from pg_inherits where inhrelid = $1::regclass',
    [partition.name],
  )
  if (rows[0]?.attached) return
  if (rows.length > 0) await detach(pool, table, partition)
  await attachPartition(pool, table, partition)
}

/** Two that look at once might disagree: one would drop what the other has put back. */
async function alone(pool: pg.Pool, table: string, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${EXPIRY_LOCK}) as locked`, [
      table,
    ])
    if (!rows[0]!.locked) return
    try {
      await work()
    } finally {
      await client.query(`select pg_advisory_unlock(${EXPIRY_LOCK})`, [table]).catch((error: Error) => {
        broken = error
      })
    }
  } finally {
    client.release(broken)
  }
}
