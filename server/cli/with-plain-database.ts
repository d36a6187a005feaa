import type { Database } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { existingKeys } from '../encryption-keys.ts'
import type { SecretKeys } from '../platform/crypto/secret-box.ts'
import { checkDatabase } from '../platform/db/check-database.ts'
import { openEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts'
import { requireDatabase } from '../platform/postgres/require-database.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { CommandError } from './command-error.ts'

export type PlainContext = { config: Config; database: Database; keys: SecretKeys }

/**
 * Runs a command on the database of the settings as it is, without bringing its schema up to date or making a key. An embedded
 * one is made only where it need not be `existing`.
 */
export async function withPlainDatabase(
  { existing }: { existing: boolean },
  work: (context: PlainContext) => Promise<void>,
): Promise<void> {
  const config = readConfig()
  if (existing && !config.databaseUrl) await requireDatabase(config.dataDir)
  const keys = await requireKeys(config)
  const log = createLogger({ level: 'warn', destination: process.stderr })
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbeddedPostgres({ dataDir: config.dataDir, log, existing })
  try {
    const url = config.databaseUrl?.reveal() ?? embedded!.url
    const { role } = await checkDatabase(url, config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
    await work({ config, database: { url, role }, keys })
  } finally {
    await embedded?.stop()
  }
}

export async function requireKeys(config: Config): Promise<SecretKeys> {
  const keys = await existingKeys(config)
  if (keys) return keys
  throw new CommandError(
    `the encryption key of the database is needed: set ENCRYPTION_KEY, or put encryption.key into ${config.dataDir}`,
  )
}
