import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { createPools, type Database } from '../app.ts'
import { holdRestored, lookAtInstallation, restoreBackup, takeBackup } from '../backups.ts'
import { type Config, readConfig } from '../config.ts'
import type { SecretKeys } from '../platform/crypto/secret-box.ts'
import { checkDatabase } from '../platform/db/check-database.ts'
import { acquireDataDirLock, type DataDirLock } from '../platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { CommandError } from './command-error.ts'
import { tellingProgress } from './copy-progress.ts'
import { confirmHeld } from './restored.ts'
import { type Said, tell } from './said.ts'
import { requireKeys } from './with-plain-database.ts'

export function moveCommand(): Command {
  return new Command('move')
    .description('move the embedded database, while the service is stopped, to an empty one of a PostgreSQL server')
    .argument('<url>', 'postgres://… of the empty database')
    .option('--json', 'print JSON, for programs')
    .action(async (url: string, { json = false }: { json?: boolean }) => tell(await move(url), json))
}

/**
 * Nothing is done by the old database from before the copy on, and nothing of it by the new one until everything is there: so
 * nothing is lost or done twice, and the new one goes on by itself. The old one is kept, and held for ever.
 */
async function move(url: string): Promise<Said> {
  const config = readConfig()
  if (config.databaseUrl) throw new CommandError('DATABASE_URL is set: the service uses a server already')
  const keys = await requireKeys(config)
  const { role } = await checkDatabase(url, 'the address')
  const there = { url, role }
  const lock = await acquireDataDirLock(config.dataDir, { temporary: true })
  try {
    const rows = await copy({ config, keys, lock }, there)
    const { text, json } = await goOn(config, there, keys)
    const next =
      `${rows} rows are in the new database. The old one is kept in ${config.dataDir} and sends nothing more.\n${text}\n` +
      'Start the service with DATABASE_URL set to this address, and ENCRYPTION_KEY to what is in encryption.key.'
    return { text: next, json: { rows, ...(json as object) } }
  } finally {
    await lock.release()
  }
}

type From = { config: Config; keys: SecretKeys; lock: DataDirLock }

/** Copies everything by way of a file in the data directory, and holds both. Answers how many rows there are. */
async function copy({ config, keys, lock }: From, there: Database): Promise<number> {
  const log = createLogger({ level: 'warn', destination: process.stderr })
  const embedded = await openEmbeddedPostgres({ dataDir: config.dataDir, log, lock, existing: true })
  const path = join(config.dataDir, `moving-${process.pid}.backup`)
  try {
    const here = { url: embedded.url, role: undefined }
    const { held } = await lookAtInstallation(config, here)
    // The end lets the new one go on: one that somebody has to look at first stays held.
    if (held) throw new CommandError('the database is held: look, and say "./postroom restored --confirm" first')
    const { rows } = await takeBackup(here, { path, keys, onProgress: tellingProgress('copied') })
    await restoreBackup(there, { path, keys, onProgress: tellingProgress('loaded') })
    await holdRestored(config, there)
    await holdRestored(config, here)
    return rows
  } finally {
    await rm(path, { force: true })
    await embedded.stop()
  }
}

/** Nothing of the queue has been sent: the old database was not at work. */
async function goOn(config: Config, database: Database, keys: SecretKeys): Promise<Said> {
  const onError = () => undefined
  const { epoch, sql, pgx } = createPools({ ...config, dbMaxOpenConns: 4, pgxMaxConns: 4 }, { ...database, onError })
  try {
    return await confirmHeld({ pools: { sql, pgx }, epoch, keys }, true)
  } finally {
    await Promise.all([sql.end(), pgx.end()])
  }
}
