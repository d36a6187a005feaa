import { stat } from 'node:fs/promises'
import type pg from 'pg'
import { createPools, type Database, migrateDatabase } from './app.ts'
import { openKeyCheck } from './check-encryption-key.ts'
import type { Config } from './config.ts'
import { BackupError, type BackupHeader, readBackupFile } from './platform/backup/backup-file.ts'
import { copiedTables } from './platform/backup/copied-tables.ts'
import { type LoadOptions, loadBackup } from './platform/backup/load-backup.ts'
import { openCopyClient } from './platform/backup/open-client.ts'
import { type CopyProgress, writeBackup } from './platform/backup/write-backup.ts'
import type { SecretKeys } from './platform/crypto/secret-box.ts'
import { hasBeen, readMigrations } from './platform/db/migrate.ts'
import { holdInstallation } from './platform/epoch/hold-installation.ts'
import { type Installation, readInstallation } from './platform/epoch/installation.ts'
import { noteBackup } from './platform/epoch/last-backup.ts'
import { VERSION } from './version.ts'

export type CopyOptions = {
  path: string
  keys: SecretKeys
  onProgress?: (progress: CopyProgress) => void
  signal?: AbortSignal
}

/** A file that was read to its end, and what is in it. */
export type CheckedBackup = { header: BackupHeader; tables: number; rows: number; fileBytes: number }

/** A backup as it was taken; `unnoted`: why the database could not note that there is one, null where it did. */
export type TakenBackup = CheckedBackup & { unnoted: string | null }

/**
 * Writes a backup of a database that may be in use, reads it back, and notes it in the database, for whoever watches that there is one. Refuses
 * a key that is not the database's.
 */
export async function takeBackup(database: Database, options: CopyOptions): Promise<TakenBackup> {
  const { path, keys } = options
  if (await stat(path).catch(() => undefined)) throw new BackupError(`${path} is there already: give another name`)
  await withCopyClient(database, async (client) => {
    const keyCheck = await keyCheckOf(client)
    openKeyCheck(keyCheck, keys, 'the encryption key is not that of this database')
    await writeBackup(client, { ...options, keyCheck, postroom: VERSION })
  })
  const checked = await checkBackup(path, keys)
  const noted = { takenAt: checked.header.madeAt, bytes: checked.fileBytes }
  const unnoted = await withCopyClient(database, (client) => noteBackup(client, noted)).then(
    () => null,
    // A standby, or a full disk: the backup is whole all the same.
    (error: Error) => error.message,
  )
  return { ...checked, unnoted }
}

async function keyCheckOf(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `select to_regclass('public.installation') is not null as there`,
  )
  const { rows } = tables[0]!.there
    ? await client.query<{ sealed: string | null }>('select key_check as sealed from installation')
    : { rows: [] }
  if (!rows[0]?.sealed)
    throw new BackupError('there is nothing to back up: Postroom was never started on this database')
  return rows[0].sealed
}

/** Reads a backup to its end. Throws a `BackupError` unless it is whole, as it was written, and of the keys' database. */
export async function checkBackup(path: string, keys: SecretKeys): Promise<CheckedBackup> {
  let [header, rows]: [BackupHeader | undefined, number] = [undefined, 0]
  for await (const part of readBackupFile(path, keys)) {
    if (part.kind === 'header') {
      header = part.header
      openKeyCheck(header.keyCheck, keys, `the encryption key is not that of the database of ${path}`)
    } else if (part.kind === 'tableEnd') rows += part.rows
  }
  const { size: fileBytes } = await stat(path)
  return { header: header!, tables: header!.tables.length, rows, fileBytes }
}

/**
 * Restores a backup into an empty database, which is then held: nothing is sent or delivered until somebody confirms. The file
 * is read to its end before anything is changed, and everything is loaded in one transaction. One of an older version is
 * loaded into the schema that it was made from, which is then brought up to date.
 */
export async function restoreBackup(database: Database, options: CopyOptions): Promise<CheckedBackup> {
  const checked = await checkBackup(options.path, options.keys)
  const until = await newestMigrationOf(checked.header)
  await withCopyClient(database, (client) => requireEmpty(client, until))
  await migrateDatabase(database, { until })
  await withCopyClient(database, (client) => load(client, checked.header, options))
  if ((await readMigrations()).some(({ version }) => version > until)) await migrateDatabase(database)
  return checked
}

async function load(client: pg.Client, { jobs, postroom }: BackupHeader, options: LoadOptions): Promise<void> {
  const { rows } = await client.query<{ version: number }>('select max(version) as version from jobs.version')
  if (rows[0]!.version !== jobs)
    throw new BackupError(
      `the backup has the job tables of Postroom ${postroom}: restore it with that version, then start this one on the database`,
    )
  await loadBackup(client, options)
  // Vacuum would come to it, but the first statements are planned before. Queues are never analysed (ADR 5).
  const { rows: tables } = await client.query<{ statement: string }>(
    `select format('analyze %s', c.oid::regclass) as statement from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not coalesce(c.reloptions::text like '%autovacuum_analyze_threshold%', false)`,
  )
  for (const { statement } of tables) await client.query(statement)
}

/** Refuses a backup of a version that this one does not know the schema of. */
async function newestMigrationOf({ migrations, postroom }: BackupHeader): Promise<number> {
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration]))
  const isKnown = ({ name, checksum }: { name: string; checksum: string }) =>
    known.has(name) && hasBeen(known.get(name)!, checksum)
  const unknown = migrations.find((one) => !isKnown(one))
  if (unknown)
    throw new BackupError(
      `the backup was made by Postroom ${postroom}, whose schema this version does not have (${unknown.name}): restore it with that version or a newer one`,
    )
  return Math.max(...migrations.map(({ version }) => version))
}

/** Only a database without tables, or with ours and nothing in them, which is what a restore that was cut off leaves. */
async function requireEmpty(client: pg.Client, until: number): Promise<void> {
  const found = (await copiedTables(client)).map(({ schema, name }) => `${schema}.${name}`)
  if (found.length === 0) return
  if (!found.includes('public.installation') || !found.includes('public.workspaces'))
    throw new BackupError(`the database is not empty, it has the table ${found[0]}: restore into one of its own`)
  const { rows } = await client.query<{ used: boolean; newest: number }>(
    'select exists (select from workspaces) as used, (select max(version) from schema_migrations) as newest',
  )
  if (rows[0]!.used)
    throw new BackupError('the database is not empty, Postroom was started on it: restore into an empty one')
  if (rows[0]!.newest > until)
    throw new BackupError('the database has the tables of a newer version already: restore into an empty one')
}

/** Has what was restored held, at the first connection as always, and says so. */
export function holdRestored(config: Config, database: Database): Promise<Installation> {
  return withFewConnections(config, database, async (sql) => {
    await holdInstallation(sql, 'told')
    return readInstallation(sql)
  })
}

/** An installation as it is after its first connection, which may find that it has to be held. */
export function lookAtInstallation(config: Config, database: Database): Promise<Installation> {
  return withFewConnections(config, database, readInstallation)
}

async function withFewConnections<T>(config: Config, database: Database, work: (sql: pg.Pool) => Promise<T>) {
  const onError = () => undefined
  const { sql, pgx } = createPools({ ...config, dbMaxOpenConns: 4, pgxMaxConns: 4 }, { ...database, onError })
  try {
    return await work(sql)
  } finally {
    await Promise.all([sql.end(), pgx.end()])
  }
}

async function withCopyClient<T>(database: Database, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openCopyClient(database)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
