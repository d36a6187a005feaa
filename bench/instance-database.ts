import pg from 'pg'
import { openEmbeddedPostgres } from '../server/platform/postgres/embedded-postgres.ts'
import type { Instance } from '../test/support/instance.ts'
import { silentLog } from '../test/support/silent-log.ts'

/** Lets `work` look into a running instance's database, at the rows of every workspace. */
export async function withDatabase<T>(instance: Instance, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const postgres = await openEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog })
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    await client.query("set postroom.workspace = '*'")
    return await work(client)
  } finally {
    await client.end()
  }
}
