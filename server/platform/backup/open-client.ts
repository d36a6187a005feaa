import type pg from 'pg'
import { DatabaseClient } from '../db/database-hosts.ts'

/**
 * A connection for the copy of a whole database: without time limits, and with values written the same way whatever the
 * server's settings are.
 */
export async function openCopyClient(database: { url: string; role: string | undefined }): Promise<pg.Client> {
  const settings = [
    '-c statement_timeout=0',
    '-c lock_timeout=0',
    '-c idle_in_transaction_session_timeout=0',
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
  // PostgreSQL has it from version 17 on.
  await client.query(
    `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout' and setting <> '0'`,
  )
  return client
}
