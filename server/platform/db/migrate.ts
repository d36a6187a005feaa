import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { DatabaseClient } from './database-hosts.ts'
import { errorCode } from './errors.ts'
import { SQLSTATE } from './sqlstates.ts'

/** One advisory lock for every change of the schema, so that processes starting together take turns. */
export const MIGRATION_LOCK = 7_465_001

export const MIGRATIONS_DIR = new URL('../../../migrations/', import.meta.url)

type Migration = { version: number; name: string; sql: string; checksum: string }
/** `waitMs`: how long another process may be changing the schema. `until`: the number of the last file to run. */
export type MigrateOptions = { url: string; role?: string | undefined; waitMs?: number; until?: number }

/** Longer than migrations of large tables take that processes of a fleet wait for. */
const LOCK_WAIT_MS = 600_000

/** Another process has been changing the schema for too long; the message is one line that says which. */
export class MigrationLockError extends Error {
  override readonly name = 'MigrationLockError'
}

/**
 * Brings the schema up to date: runs every numbered file of `migrations/` not run yet, each in a transaction of its own that
 * holds the lock. Safe to call from several processes at once. Returns the names of the files it ran.
 * Throws when a file that has already run was changed, the database is newer than the program, or another process keeps the
 * lock for longer than `waitMs`.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new DatabaseClient({
    connectionString: options.url,
    application_name: 'postroom-migrate',
    connectionTimeoutMillis: 10_000,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
  })
  await client.connect()
  try {
    const migrations = (await readMigrations()).filter(({ version }) => version <= (options.until ?? version))
    const ran: string[] = []
    for (;;) {
      const name = await runNext(client, migrations, options.waitMs ?? LOCK_WAIT_MS)
      if (name === undefined) return ran
      ran.push(name)
    }
  } finally {
    await client.end()
  }
}

/** Runs the first file that was not run yet, whoever has run others meanwhile; undefined when there is none. */
async function runNext(client: pg.Client, migrations: Migration[], waitMs: number): Promise<string | undefined> {
  await client.query('begin')
  try {
    await takeLock(client, waitMs)
    const next = await nextOf(client, migrations)
    if (next) await runOne(client, next)
    await client.query('commit')
    return next?.name
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** A transaction's, so that it is given back whatever becomes of the process. */
async function takeLock(client: pg.Client, waitMs: number): Promise<void> {
  await client.query(`set local lock_timeout = ${waitMs}`)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  } catch (error) {
    if (errorCode(error) !== SQLSTATE.lockNotAvailable) throw error
    await client.query('rollback')
    const seconds = Math.round(waitMs / 1_000)
    throw new MigrationLockError(
      `the schema is being changed by another process, waited for ${seconds} s: ${await lockHolder(client)}`,
      { cause: error },
    )
  }
  await client.query('set local lock_timeout = 0')
}

async function lockHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('process %s of PostgreSQL, %s from %s, since %s', a.pid, coalesce(nullif(a.application_name, ''), '?'),
       coalesce(host(a.client_addr), 'this machine'), to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS UTC')) as holder
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objid = $1::bigint::oid and l.database =
       (select oid from pg_database where datname = current_database()) limit 1`,
    [MIGRATION_LOCK],
  )
  return rows[0]?.holder ?? 'it has just ended, start again'
}

async function nextOf(client: pg.Client, migrations: Migration[]): Promise<Migration | undefined> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows: done } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  )
  const known = new Map(migrations.map((migration) => [migration.version, migration]))
  for (const row of done) {
    const file = known.get(row.version)
    if (!file) throw new Error(`the database has migration ${row.name}, which this version of Postroom does not know`)
    if (file.checksum !== row.checksum) throw new Error(`migration ${row.name} was changed after it had run`)
    known.delete(row.version)
  }
  return known.values().next().value
}

async function runOne(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("set local postroom.workspace = '*'")
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ])
  } catch (cause) {
    throw new Error(`migration ${migration.name} failed: ${(cause as Error).message}`, { cause })
  }
}

/** The numbered files in order, each with the hash that pins it. */
export async function readMigrations(directory: URL = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, directory), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: Number(file.slice(0, 4)), name: file, sql, checksum }
    }),
  )
}
