import type pg from 'pg'
import { createPools, type Database, migrateDatabase, type Pools } from '../app.ts'
import { checkEncryptionKey } from '../check-encryption-key.ts'
import type { Config } from '../config.ts'
import { readConfig } from '../config.ts'
import { keySourceOf, keysFor } from '../encryption-keys.ts'
import type { SecretKeys } from '../platform/crypto/secret-box.ts'
import { checkDatabase } from '../platform/db/check-database.ts'
import { ALL_WORKSPACES, queryInScope } from '../platform/db/transaction.ts'
import type { EpochGuard } from '../platform/epoch/epoch-guard.ts'
import { openEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts'
import { didYouMean } from '../platform/schema/did-you-mean.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { CommandError } from './command-error.ts'

export type CommandContext = {
  config: Config
  database: Database
  pools: Pools
  epoch: EpochGuard
  keys: SecretKeys
  migrated: string[]
}

/**
 * Runs a command on the database of the settings: that of `DATABASE_URL`, or the embedded one, which is attached to while
 * the service runs and started for the time being when it does not. The schema is brought up to date first. A command makes no
 * embedded database, and no tables in a database that has none of ours, unless that `mayBeEmpty`.
 */
export async function withDatabase(
  work: (context: CommandContext) => Promise<void>,
  { mayBeEmpty = false } = {},
): Promise<void> {
  const config = readConfig()
  const log = createLogger({ level: 'warn', destination: process.stderr })
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbeddedPostgres({ dataDir: config.dataDir, log, existing: true })
  try {
    const url = config.databaseUrl?.reveal() ?? embedded!.url
    const source = config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR'
    const { role } = await checkDatabase(url, source, { mayBeEmpty })
    const database = { url, role }
    const migrated = await migrateDatabase(database)
    const onError = (error: unknown) => log.error(error)
    const {
      waker: _,
      epoch,
      end,
      ...pools
    } = createPools({ ...config, dbMaxOpenConns: 4, pgxMaxConns: 4 }, { ...database, onError })
    try {
      const keys = await keysFor(config, pools.sql)
      await checkEncryptionKey(pools.sql, keys, keySourceOf(config))
      await work({ config, database, pools, epoch, keys, migrated })
    } finally {
      await end()
    }
  } finally {
    await embedded?.stop()
  }
}

/** The id of a workspace by its slug. Throws a `CommandError` when there is none. */
export async function workspaceIdOf(pool: pg.Pool, slug: string): Promise<string> {
  const rows = await queryInScope<{ id: string; slug: string }>(pool, ALL_WORKSPACES, {
    text: 'select id, slug from workspaces order by (slug = $1) desc, id limit 1000',
    values: [slug],
  })
  const [first] = rows
  if (first === undefined) throw new CommandError('there is no workspace: the first "./postroom start" makes "default"')
  if (first.slug === slug) return first.id
  const meant = didYouMean(
    slug,
    rows.map((row) => row.slug),
  )
  const hint = meant === undefined ? '"./postroom workspace list" shows them' : `did you mean "${meant}"?`
  throw new CommandError(`there is no workspace "${slug}"; ${hint}`)
}
