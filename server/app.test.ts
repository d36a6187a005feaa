import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../test/support/eventually.ts'
import { createTestDatabase } from '../test/support/postgres.ts'
import { withClient } from '../test/support/test-server.ts'
import { createPools } from './app.ts'
import { readConfig } from './config.ts'

/** Less than an unused connection stays open by itself. */
const ENDED_WITHIN_MS = 20_000

const database = await createTestDatabase()
after(() => database.drop())

test('a process that has ended its pools holds no connection, not even the one that others are judged from', async () => {
  const config = readConfig({ DATABASE_URL: database.url, ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64') })
  const onError = (error: unknown) => assert.fail(String(error))
  const { sql, pgx, end } = createPools(config, { url: database.url, role: undefined, onError })
  const sessions = () =>
    withClient(database.superuserUrl, async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and application_name like 'postroom-%'`,
      )
      return rows.length
    })
  await Promise.all([sql.query('select 1'), pgx.query('select 1')])
  assert.equal(await sessions(), 3)
  await end()
  await eventually('no session is left', async () => (await sessions()) === 0, ENDED_WITHIN_MS)
})
