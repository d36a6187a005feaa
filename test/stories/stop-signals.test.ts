import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { spawnPostroom } from '../support/postroom-process.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/** As in `platform/db/migrate.ts`. */
const MIGRATION_LOCK = 7_465_001
const START = new URL('../../server/cli/start.ts', import.meta.url).href

test('asked to stop while another process changes the schema, a start stops', async () => {
  const database = await createTestDatabase({ migrated: false })
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  after(async () => {
    await holder.end()
    await database.drop()
  })
  await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: tmpdir(),
    PORT: String(await freePort()),
  }
  const start = spawnPostroom(['start'], { env })
  await eventually('it waits for the lock', async () => {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'postroom-migrate'
         and query like '%pg_try_advisory_lock%'`,
    )
    return rowCount === 1
  })
  const { code, stdout } = await start.end()
  assert.equal(code, 0)
  assert.match(stdout, /stopped before it was up/)
  assert.doesNotMatch(stdout, /\berr\b|Error:|\n\s+at /, 'whoever stops it need not read a stack')
})

for (const PROCESSES of ['1', '2'])
  test(`while ${PROCESSES === '1' ? 'it drains, a process' : 'they drain, several processes'} say that they are not ready, and answer requests`, () =>
    drains({ DRAIN_SECONDS: '5', PROCESSES }))

async function drains(settings: Record<string, string>) {
  const instance = await startTestedInstance(settings)
  const get = (path: string) => send('GET', instance.baseUrl + path, { token: instance.token })
  assert.equal((await get('/readyz')).status, 200)
  process.kill(instance.pid, 'SIGTERM')
  await eventually('it is not ready', async () => (await get('/readyz')).status === 503)
  const { status, headers } = await get('/api/contacts')
  assert.deepEqual([status, headers.connection], [200, 'close'])
  await instance.ended
  await assert.rejects(get('/readyz'), { code: 'ECONNREFUSED' })
  await instance.close()
}

test('asked to stop in the middle of a long step, a process ends in time and leaves neither lock nor session', async () => {
  const instance = await startTestedInstance()
  const holder = new pg.Client({ connectionString: instance.database.superuserUrl })
  await holder.connect()
  after(async () => {
    await holder.end()
    await instance.close()
  })
  const call = (method: string, path: string, json?: object) =>
    send(method, `${instance.baseUrl}/api${path}`, { token: instance.token, ...(json ? { json } : {}) })
  const endpoint = await call('POST', '/webhooks', { url: 'http://127.0.0.1:8099/hook', enabled: false })
  await holder.query('begin; lock table delivery_queue in access exclusive mode')
  assert.equal((await call('DELETE', `/webhooks/${endpoint.json.id}`)).status, 204)
  // By another connection: within a transaction the list stays as it was first seen.
  const others = (what: string) =>
    instance.sql(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'postroom-%' ${what}`,
    )
  await eventually('a step of its job waits for the table', async () => {
    return (await others(`and wait_event_type = 'Lock' and query like '%delivery_queue%'`)).length > 0
  })
  process.kill(instance.pid, 'SIGTERM')
  await instance.ended
  await eventually('the server has nothing of it', async () => (await others('')).length === 0)
  await holder.query('commit')
  const { rows } = await holder.query(`select state from jobs.job_common where data ->> 'kind' = 'drop_deliveries'`)
  assert.ok(
    rows.every(({ state }) => state !== 'active'),
    'its job is taken for running',
  )
})

test('a process that has stopped ends, whatever sockets remain in it', async () => {
  const script = `import { createServer } from 'node:net'
    import { endSoon } from '${START}'
    createServer().listen(0, '127.0.0.1', endSoon)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})
