import type { Queryable } from '../db/transaction.ts'

/**
 * The transactions that are writing to the log now. A statement locks the tables it writes before it takes its snapshot,
 * so whatever writes to the log from a state older than this moment is among them: once they have ended, nothing that
 * was committed before can be overlooked by a row that is still to come.
 */
export async function currentWriters(db: Queryable): Promise<string[]> {
  return writersAmong(db, undefined)
}

/** Which of these transactions are still at it. */
export async function writersAmong(db: Queryable, writers: readonly string[] | undefined): Promise<string[]> {
  // pg_locks hides nobody's locks, as pg_stat_activity hides the transactions of other roles.
  const { rows } = await db.query<{ writer: string }>({
    name: 'outbox_writers',
    text: `select distinct virtualtransaction as writer from pg_locks
      where locktype = 'relation' and relation = 'outbox'::regclass and mode = 'RowExclusiveLock' and granted
        and database = (select oid from pg_database where datname = current_database())
        and pid <> pg_backend_pid() and ($1::text[] is null or virtualtransaction = any ($1))`,
    values: [writers ?? null],
  })
  return rows.map(({ writer }) => writer)
}
