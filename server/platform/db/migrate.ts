import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseClient } from './database-hosts.ts'
import { errorCode } from './errors.ts'
import { type MigrationManner, mannerOf, outsideStatements, partsOf } from './migration-manner.ts'
import { liftTransactionTimeout, NO_TIME_LIMITS, READ_COMMITTED } from './own-settings.ts'
import { LOCK_WAIT_MS, lockHolder, pollLock } from './poll-lock.ts'
import { SQLSTATE } from './sqlstates.ts'

/** One advisory lock for every change of the schema, so that processes starting together take turns. */
export const MIGRATION_LOCK = 7_465_001

export const MIGRATIONS_DIR = new URL('../../../migrations/', import.meta.url)

type Migration = { version: number; name: string; sql: string; checksum: string } & MigrationManner
export type MigrateOptions = {
  url: string
  role?: string | undefined
  /** How long another process may be changing the schema, or holding a table that a file changes; each file has it anew. */
  waitMs?: number
  /** The number of the last file to run. */
  until?: number
  directory?: URL
}

/** A wait for a table's lock has everybody else wait behind it: so not for long, and again after a pause. */
const TABLE_LOCK_MS = 1_000
const PAUSE_MS = 2_000

/** Another process has been changing the schema for too long; the message is one line that says which. */
export class MigrationLockError extends Error {
  override readonly name = 'MigrationLockError'
}

/** The schema of this database cannot be brought up to date, in one line. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/**
 * Brings the schema up to date: runs every numbered file of `migrations/` not run yet, under the lock, each in a transaction of
 * its own or, where it says so, statement by statement outside of one, or with a part that goes through rows beside others. A file that does not get a table's lock within a second
 * gives up what it has done and begins again after a pause, so that nobody waits behind it for longer.
 * Safe to call from several processes at once. Returns the names of the files it ran.
 * Throws when a file that has already run was changed, the database is newer than the program can go on with, or another
 * process keeps a lock for longer than `waitMs`.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const session = { client: await connect(options), another: () => connect(options) }
  const { client } = session
  try {
    const all = await readMigrations(options.directory)
    const migrations = all.filter(({ version }) => version <= (options.until ?? version))
    const ran: string[] = []
    while (await lacksAny(client, migrations)) {
      const name = await runWithin(session, migrations, options.waitMs ?? LOCK_WAIT_MS)
      if (name === undefined) break
      ran.push(name)
    }
    return ran
  } finally {
    await client.end()
  }
}

/** The connection that holds the lock, and how another one is made. */
type Session = { client: pg.Client; another(): Promise<pg.Client> }

async function connect({ url, role }: MigrateOptions): Promise<pg.Client> {
  const settings = [...NO_TIME_LIMITS, READ_COMMITTED, role === undefined ? '' : `-c role=${role}`]
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'postroom-migrate',
    connectionTimeoutMillis: 10_000,
    options: settings.filter(Boolean).join(' '),
  })
  // A connection that breaks is told by the query that it takes with it, or by the next one.
  client.on('error', () => undefined)
  await client.connect()
  await liftTransactionTimeout(client)
  return client
}

/**
 * Whether a file is to be run, without the lock: a process whose schema is up to date starts while another copies the database,
 * which holds the lock for as long as that takes.
 */
async function lacksAny(client: pg.Client, migrations: Migration[]): Promise<boolean> {
  const { rows } = await client.query<{ columns: number }>(
    `select count(*)::int as columns from pg_attribute
     where attrelid = to_regclass('schema_migrations') and attname in ('checksum', 'keeps')`,
  )
  if (rows[0]!.columns < 2) return true
  try {
    return (await nextOf(client, migrations)) !== undefined
  } catch (error) {
    throw failed(undefined, error)
  }
}

/** Runs one file, and begins again while a lock is not to be had; each file has the whole time. */
async function runWithin(session: Session, migrations: Migration[], waitMs: number): Promise<string | undefined> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const name = await runNext(session, migrations, deadline)
    if (name !== AGAIN) return name
  }
}

const AGAIN = Symbol('a lock was not to be had')

/** Runs the first file that was not run yet, whoever has run others meanwhile; undefined when there is none. */
async function runNext(
  session: Session,
  migrations: Migration[],
  deadline: number,
): Promise<string | typeof AGAIN | undefined> {
  const { client } = session
  await takeLock(client, deadline)
  let next: Migration | undefined
  try {
    await makeTable(client)
    next = await nextOf(client, migrations)
    if (next) await runOne(session, next)
    return next?.name
  } catch (error) {
    if (errorCode(error) !== SQLSTATE.lockNotAvailable) throw failed(next, error)
    if (performance.now() > deadline) throw new MigrationLockError(await heldUp(client, next!), { cause: error })
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined)
  }
  await sleep(Math.min(PAUSE_MS, Math.max(0, deadline - performance.now())) * (0.5 + Math.random() / 2))
  return AGAIN
}

/** A session's, since an index is made outside of a transaction; it ends with the connection, whatever becomes of the process. */
async function takeLock(client: pg.Client, deadline: number): Promise<void> {
  const beganMs = performance.now()
  if (await pollLock(client, { text: 'pg_try_advisory_lock($1)', values: [MIGRATION_LOCK] }, deadline)) return
  const seconds = Math.round((performance.now() - beganMs) / 1_000)
  throw new MigrationLockError(
    `the schema is being changed or copied by another process, waited for ${seconds} s: ${await lockHolder(client, MIGRATION_LOCK)}`,
  )
}

/** A file that was not let at a table: says who has been at work for longest. */
async function heldUp(client: pg.Client, { name }: Migration): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('process %s of PostgreSQL, %s, since %s', pid, coalesce(nullif(application_name, ''), '?'),
       to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS UTC')) as holder
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  )
  return `migration ${name} does not get the lock of a table; the oldest open transaction is of ${rows[0]?.holder ?? 'nobody now, start again'}`
}

/** `schema_migrations` has the files that ran, and which older programs each of them lets go on. */
async function makeTable(client: pg.Client): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now(), keeps integer)`)
  // One that was made before migrations said what they keep; another program's table of that name stays as it is.
  await client.query(`do $$ begin
    if (select bool_or(attname = 'checksum') and not bool_or(attname = 'keeps')
        from pg_attribute where attrelid = 'schema_migrations'::regclass) then
      alter table schema_migrations add column keeps integer;
    end if; end $$`)
}

/** The next file to run. Refuses what another program, or a changed file, has left. */
async function nextOf(client: pg.Client, migrations: Migration[]): Promise<Migration | undefined> {
  const { rows: done } = await client.query<Done>(
    'select version, name, checksum, keeps from schema_migrations order by version',
  )
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  const newest = Math.max(...known.keys())
  for (const row of done) {
    const file = known.get(row.version)
    if (file === undefined) refuseUnlessKept(row, newest)
    else if (!hasBeen(file, row.checksum)) throw new SchemaError(`migration ${row.name} was changed after it had run`)
    known.delete(row.version)
  }
  return known.values().next().value
}

/** Whether this is the text of a migration, or one that it had before and that did the same. */
export const hasBeen = (migration: Pick<Migration, 'checksum' | 'formerly'>, checksum: string): boolean =>
  migration.checksum === checksum || migration.formerly.includes(checksum)

type Done = { version: number; name: string; checksum: string; keeps: number | null }

/** A file of a newer version may say that programs which know the files up to some number go on with it. */
function refuseUnlessKept({ name, keeps }: Done, newest: number): void {
  if (keeps !== null && keeps <= newest) return
  throw new SchemaError(
    `the database has migration ${name}, which this version of Postroom does not know and cannot go on with: start the version that made it, or a newer one`,
  )
}

async function runOne({ client, another }: Session, migration: Migration): Promise<void> {
  if (migration.outside) return runOutside(client, migration)
  const { first, beside } = partsOf(migration.sql)
  if (beside === undefined) return runLocked(client, first, () => note(client, migration))
  const other = await another()
  try {
    await runLocked(client, first, () => look(other))
    await other.query(beside)
    await note(other, migration)
    await other.query('commit')
  } finally {
    await other.end()
  }
}

/** Runs what may lock tables, and `last` while it holds them. */
async function runLocked(client: pg.Client, sql: string, last: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${TABLE_LOCK_MS}`)
    await client.query("set local postroom.workspace = '*'")
    await client.query(sql)
    await last()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * Sees from now on what is there at this moment, at which nobody writes to the tables that the first part has locked: rows that come
 * or change behind it are for its triggers. So rows are gone through for as long as that takes while others write, each counted once.
 * A process that is killed in between has noted nothing: the first part runs again, and undoes what its triggers have counted.
 */
async function look(client: pg.Client): Promise<void> {
  await client.query('begin isolation level repeatable read')
  await client.query("select set_config('postroom.workspace', '*', true)")
}

/**
 * Each statement may be found done, by a process that was killed before it could note the file. None holds up anybody else while
 * it waits, so none has a time limit.
 */
async function runOutside(client: pg.Client, migration: Migration): Promise<void> {
  for (const { text, index } of outsideStatements(migration.sql)) {
    // One that was not made to its end is there, and of no use.
    const { rows } = await client.query<{ half: boolean }>(
      'select coalesce((select not indisvalid from pg_index where indexrelid = to_regclass($1)), false) as half',
      [index],
    )
    if (rows[0]!.half) await client.query(`drop index concurrently ${index}`)
    await client.query(text)
  }
  await note(client, migration)
}

async function note(client: pg.Client, { version, name, checksum, keeps }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name, checksum, keeps) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    keeps ?? null,
  ])
}

const REFUSALS: Readonly<Record<string, string>> = {
  [SQLSTATE.insufficientPrivilege]: 'its role may not change it, and has to own the database',
  [SQLSTATE.undefinedColumn]: 'its table schema_migrations is another program’s',
}

/** Before a migration runs, the line for a database that cannot be ours; other errors come back as they are. */
function failed(migration: Migration | undefined, cause: unknown): unknown {
  const { message } = cause as Error
  if (migration) return new SchemaError(`migration ${migration.name} failed: ${message}`, { cause })
  const why = REFUSALS[errorCode(cause) ?? '']
  return why ? new SchemaError(`DATABASE_URL: the database cannot be used: ${why} (${message})`, { cause }) : cause
}

/** The numbered files in order, each with the hash that pins it. */
export async function readMigrations(directory: URL = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, directory), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: Number(file.slice(0, 4)), name: file, sql, checksum, ...mannerOf(sql) }
    }),
  )
}
