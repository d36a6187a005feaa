import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

/** One advisory lock for every change of the schema, so that processes starting together take turns. */
const MIGRATION_LOCK = 7_465_001

export const MIGRATIONS_DIR = new URL('../../../migrations/', import.meta.url)

type Migration = { version: number; name: string; sql: string; checksum: string }
export type MigrateOptions = { url: string; role?: string | undefined }

/**
 * Brings the schema up to date: runs every numbered file of `migrations/` not run yet, each in a transaction of its own.
 * Safe to call from several processes at once. Returns the names of the files it ran.
 * Throws when a file that has already run was changed, or the database is newer than the program.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'postroom-migrate',
    connectionTimeoutMillis: 10_000,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
  })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await runPending(client, await readMigrations())
  } finally {
    await client.end()
  }
}

async function runPending(client: pg.Client, migrations: Migration[]): Promise<string[]> {
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
  const ran: string[] = []
  for (const migration of known.values()) {
    await runOne(client, migration)
    ran.push(migration.name)
  }
  return ran
}

async function runOne(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query("set local postroom.workspace = '*'")
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
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
