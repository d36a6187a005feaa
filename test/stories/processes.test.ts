import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { comesWithin } from '../support/comes-within.ts'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance, until } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom, untilUp } from '../support/postroom-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { withClient } from '../support/test-server.ts'

/*
 * A small fleet: two `web` processes and `worker` processes on one database, into which they log in as a superuser.
 */

const STARTED_WITHIN_MS = 120_000
const DELIVERED_WITHIN_MS = 60_000
const REVOKED_WITHIN_MS = 1_000

let database: TestDatabase
let receiver: Receiver
let webs: Instance[]
let worker: PostroomProcess
let settings: Record<string, string>
const token = `processes-${randomBytes(24).toString('hex')}`

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  // Empty: the processes make the schema and the first workspace themselves, all at the same time.
  database = await createTestDatabase({ migrated: false }).finally(() => clearInterval(stay))
  receiver = await startReceiver()
  settings = {
    DATABASE_URL: database.superuserUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: token,
    LOG_FORMAT: 'pretty',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  }
  const web = () => startInstance({ env: { ...settings, ROLE: 'web' } })
  ;[webs, worker] = await Promise.all([Promise.all([web(), web()]), startWorker()])
})
after(async () => {
  await Promise.all([...webs.map((web) => web.stop()), worker.end()])
  await database.drop()
  await receiver.close()
})

async function startWorker(): Promise<PostroomProcess> {
  const started = spawnPostroom(['start'], { env: { ...settings, ROLE: 'worker', LOG_LEVEL: 'error' } })
  await untilUp(started)
  return started
}

const call = (index: 0 | 1, method: string, path: string, json?: object) =>
  send(method, webs[index]!.baseUrl + path, { token, ...(json ? { json } : {}) })

async function record(index: 0 | 1, ...subjects: string[]): Promise<void> {
  const events = subjects.map((subjectId) => ({ action: 'fleet', subjectId }))
  assert.equal((await call(index, 'POST', '/events', { events })).status, 204)
}

async function delivered(...subjects: string[]): Promise<void> {
  const arrived = () => receiver.requests.map((request) => JSON.parse(request.body.toString()).subject)
  await receiver.waitFor(() => subjects.every((subject) => arrived().includes(subject)), DELIVERED_WITHIN_MS)
}

test('of processes that start on an empty database at the same time all come up, and one shows the credentials', async () => {
  const printed = () => [...webs.map((web) => web.output()), worker.stdout()]
  await until('all banners', async () => printed().every((text) => text.includes('is running')), STARTED_WITHIN_MS)
  assert.equal(printed().filter((text) => text.includes('API token:')).length, 1)
  const { json } = await call(1, 'GET', '/api/auth/me')
  assert.equal(json.workspace.id, '1')
})

test('what one process takes in another delivers', async () => {
  const made = await call(0, 'POST', '/api/webhooks', { url: receiver.url, eventTypes: ['fleet', 'webhook.test'] })
  assert.equal(made.status, 201)
  await record(0, 'a', 'b')
  await record(1, 'c')
  await delivered('a', 'b', 'c')
  const { json } = await call(1, 'POST', `/api/webhooks/${made.json.id}/test`)
  await receiver.waitFor(
    (requests) => requests.some((request) => request.headers['webhook-id'] === json.webhookId),
    DELIVERED_WITHIN_MS,
  )
  assert.equal(receiver.requests.length, 4)
})

test('without a worker events are taken and wait for the next one', async () => {
  const { code, stderr } = await worker.end()
  assert.deepEqual([code, stderr], [0, ''])
  await record(0, 'd')
  await record(1, 'e')
  worker = await startWorker()
  await delivered('d', 'e')
})

test('of two workers one killed leaves nothing behind that the other does not do', async () => {
  const other = await startWorker()
  const subjects = Array.from({ length: 200 }, (_, index) => `k${index}`)
  await record(0, ...subjects.slice(0, 100))
  await worker.end('SIGKILL')
  await record(1, ...subjects.slice(100))
  worker = other
  const arrived = new Set<string>()
  await receiver.waitFor((requests) => {
    for (const { body } of requests) arrived.add(JSON.parse(body.toString()).subject)
    return subjects.every((subject) => arrived.has(subject))
  }, 60_000)
})

test('a token revoked on one process is refused by the other within a second', async () => {
  const { json } = await call(0, 'POST', '/api/auth/tokens', { name: 'fleet', scopes: ['contacts:read'] })
  const use = async () => (await send('GET', `${webs[1]!.baseUrl}/api/auth/me`, { token: json.token })).status
  assert.equal(await use(), 200)
  assert.equal((await call(0, 'DELETE', `/api/auth/tokens/${json.tokenInfo.id}`)).status, 204)
  await comesWithin(REVOKED_WITHIN_MS, 'refused', async () => (await use()) === 401)
})

test('though the login is a superuser, everything belongs to an ordinary role that row-level security binds', async () => {
  await call(0, 'POST', '/api/contacts', { subjectId: 'mine' })
  await withClient(database.superuserUrl, async (client) => {
    const { rows: roles } = await client.query(
      `select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = 'postroom_app'`,
    )
    assert.deepEqual(roles, [{ rolsuper: false, rolbypassrls: false, rolcanlogin: false }])
    const { rows: foreign } = await client.query(
      `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'jobs') and relkind in ('r', 'p', 'S', 'v')
         and pg_get_userbyid(relowner) <> 'postroom_app'`,
    )
    assert.deepEqual(foreign, [])
    await client.query('set role postroom_app')
    const seen = async () => (await client.query('select subject_id from contacts')).rowCount
    assert.equal(await seen(), 0, 'a scope that was forgotten shows nothing')
    await client.query(`set postroom.workspace = '2'`)
    assert.equal(await seen(), 0)
    await client.query(`set postroom.workspace = '1'`)
    assert.equal(await seen(), 1)
    await assert.rejects(client.query(`insert into contacts (workspace_id, subject_id) values (2, 'x')`))
  })
})
