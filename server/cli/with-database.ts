import type pg from 'pg'
import { createPools, type Database, migrateDatabase, type Pools } from '../app.ts'
import { PROBLEMS } from '../catalogue/problems.ts'
import { checkEncryptionKey } from '../check-encryption-key.ts'
import type { Config } from '../config.ts'
import { readConfig } from '../config.ts'
import { keptEncryptionKey, keysOf } from '../encryption-keys.ts'
import type { SecretKeys } from '../platform/crypto/secret-box.ts'
import { checkDatabase } from '../platform/db/check-database.ts'
import { ALL_WORKSPACES, queryInScope } from '../platform/db/transaction.ts'
import type { EpochGuard } from '../platform/epoch/epoch-guard.ts'
import { openEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts'
import { Problem } from '../platform/problem.ts'
import { createLogger } from '../platform/telemetry/logger.ts'

/** A command that cannot be carried out, in one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

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
 * the service runs and started for the time being when it does not. The schema is brought up to date first.
 */
export async function withDatabase(work: (context: CommandContext) => Promise<void>): Promise<void> {
  const config = readConfig()
  const log = createLogger({ level: 'warn', destination: process.stderr })
  const embedded = config.databaseUrl ? undefined : await openEmbeddedPostgres({ dataDir: config.dataDir, log })
  try {
    const url = config.databaseUrl?.reveal() ?? embedded!.url
    const { role } = await checkDatabase(url, config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
    const database = { url, role }
    const keys = keysOf(config.encryptionKey ?? (await keptEncryptionKey(config.dataDir)))
    const migrated = await migrateDatabase(database)
    const onError = (error: unknown) => log.error(error)
    const {
      waker: _,
      epoch,
      ...pools
    } = createPools({ ...config, dbMaxOpenConns: 4, pgxMaxConns: 4 }, { ...database, onError })
    try {
      await checkEncryptionKey(pools.sql, keys)
      await work({ config, database, pools, epoch, keys, migrated })
    } finally {
      await Promise.all([pools.sql.end(), pools.pgx.end()])
    }
  } finally {
    await embedded?.stop()
  }
}

/** Says what it is that is not there: `.catch(missing('token 42'))`. Other errors come through as they are. */
export function missing(what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Problem && error.code === PROBLEMS.notFound.code
      ? new CommandError(`there is no ${what}`)
      : error
  }
}

/** The id of a workspace by its slug. Throws a `CommandError` when there is none. */
export async function workspaceIdOf(pool: pg.Pool, slug: string): Promise<string> {
  const statement = { text: 'select id from workspaces where slug = $1', values: [slug] }
  const [row] = await queryInScope<{ id: string }>(pool, ALL_WORKSPACES, statement)
  if (!row) throw new CommandError(`there is no workspace "${slug}"; the first "postroom start" makes "default"`)
  return row.id
}

/** Rows as a table with a heading, columns aligned. */
export function printTable(rows: readonly Record<string, unknown>[], empty: string): void {
  const [first] = rows
  if (!first) {
    console.log(empty)
    return
  }
  const columns = Object.keys(first)
  const cells = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)))
  for (const line of cells)
    console.log(
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(',') || '-' : String(value)
}
