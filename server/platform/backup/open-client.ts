import type pg from 'pg'
import { DatabaseClient } from '../db/database-hosts.ts'
import { liftTransactionTimeout, NO_TIME_LIMITS } from '../db/own-settings.ts'

/**
 * A connection for the copy of a whole database: without time limits, and with values written the same way whatever the
 * server's settings are.
 */
export async function openCopyClient(database: { url: string; role: string | undefined }): Promise<pg.Client> {
  const settings = [
    ...NO_TIME_LIMITS,
    '-c timezone=UTC',
    '-c datestyle=ISO',
    '-c intervalstyle=postgres',
    '-c extra_float_digits=1',
    '-c bytea_output=hex',
    '-c postroom.workspace=*',
    database.role === undefined ? '' : `-c role=${database.role}`,
  ]
  const client = new DatabaseClient({
    connectionString: database.url,
    application_name: 'postroom-backup',
    connectionTimeoutMillis: 10_000,
    options: settings.filter(Boolean).join(' '),
  })
  // A connection that is lost fails the statement on it.
  client.on('error', () => undefined)
  await client.connect()
  await liftTransactionTimeout(client)
  return client
}
