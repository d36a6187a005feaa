import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { type Batch, judge, Ledger, NO_FAULTS, type Stored } from '../crash/ledger.ts'
import { HOOKED_ACTION, type LedgerReceiver, receiveInto, sendBatches } from '../crash/traffic.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { type Instance, startInstance, until } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { silentLog } from '../support/silent-log.ts'
import { cookieOf } from '../support/site-caller.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/** Time a caller may have to wait for a 503, and the time that a busy machine adds to the measurement. */
const ANSWER_MS_MAX = 2_000
const MEASURING_MS = 1_000
/** Five seconds each, and what a busy machine adds. */
const UNREADY_WITHIN_MS = 30_000
const RECOVERED_WITHIN_MS = 60_000
/** An answer may be late because of what else the machine does: one that is always late, and alone, is at fault. */
const TRIES_ALONE_MAX = 4
const DRAINED_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
/** Requests of every kind sent one after another while the database is away. */
const ROUNDS = 3

let proxy: TcpProxy
let instance: TestedInstance
let receiver: LedgerReceiver
let cookie: string
const ledger = new Ledger()
const seed = seedFrom('DATABASE_AWAY_SEED')
let sending = true
let traffic: Promise<void>

before(async () => {
  receiver = await receiveInto(ledger)
  instance = await startTestedInstance({ ...NO_PATIENCE, LOG_LEVEL: 'error' }, async (url) => {
    proxy = await startTcpProxy(Number(url.port))
    return Object.assign(url, { port: String(proxy.port) })
  })
  const login = { json: { email: instance.email, password: instance.password } }
  // An instance without patience may be too busy with its start to look at a password in time.
  const logsIn = async () => {
    const answer = await call('POST', '/site/auth/login', login)
    if (answer.status < 300) cookie = cookieOf(answer)
    return answer.status < 300
  }
  await until('a login', logsIn, RECOVERED_WITHIN_MS)
  const made = await call('POST', '/api/webhooks', { json: { url: receiver.url, eventTypes: [HOOKED_ACTION] } })
  assert.equal(made.status, 201)
  traffic = sendBatches(ledger, {
    baseUrl: instance.baseUrl,
    token: instance.token,
    connections: 3,
    batchMax: 10,
    pauseMsMax: 20,
    enough: () => !sending,
    random: seededRandom(seed),
  })
})
after(async () => {
  sending = false
  await traffic
  await instance.close()
  await Promise.all([proxy.close(), receiver.close()])
})

const call = (method: string, path: string, given: Call = {}) =>
  send(method, instance.baseUrl + path, { token: instance.token, ...given })

let contacts = 0
/** One request of each kind: reads, writes, both surfaces, with and without a transaction. */
const KINDS: Record<string, () => Promise<Answer>> = {
  me: () => call('GET', '/api/auth/me'),
  list: () => call('GET', '/api/contacts'),
  read: () => call('GET', '/api/contacts/1'),
  audit: () => call('GET', '/api/audit-entries'),
  create: () => call('POST', '/api/contacts', { json: { subjectId: `c${contacts++}` } }),
  event: () => call('POST', '/api/events', { json: { events: [{ action: 'away', subjectId: 'a' }] } }),
  webhook: () => call('PATCH', '/api/webhooks/1', { json: { eventTypes: [HOOKED_ACTION] } }),
  session: () => call('GET', '/site/workspaces', { headers: { cookie } }),
  login: () => call('POST', '/site/auth/login', { json: { email: 'nobody@example.com', password: 'x' } }),
}
const WRITING = new Set(['create', 'event', 'login'])

async function timed(kind: string): Promise<Answer & { kind: string; ms: number }> {
  const startedMs = performance.now()
  const answer = await KINDS[kind]!()
  return { ...answer, kind, ms: performance.now() - startedMs }
}

/** The answer, or that of a later try alone when it was late. */
async function inTime(first: Awaited<ReturnType<typeof timed>>): ReturnType<typeof timed> {
  let answer = first
  for (let tries = 1; tries < TRIES_ALONE_MAX && answer.ms > ANSWER_MS_MAX + MEASURING_MS; tries++) {
    answer = await timed(first.kind)
  }
  return answer
}

/** Sends requests of all these kinds at once, some times over, and holds each to a 503 in time. */
async function allAnswerAway(kinds: readonly string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const first of await Promise.all(kinds.map(timed))) {
      const { kind, ms, status, headers, json } = await inTime(first)
      assert.equal(status, 503, `${kind} ${status}`)
      assert.match(String(headers['retry-after']), /^\d+$/, kind)
      assert.ok(['database-unavailable', 'overloaded', 'deadline-exceeded'].includes(json.code), json.code)
      assert.equal(json.detail, undefined)
      assert.ok(ms <= ANSWER_MS_MAX + MEASURING_MS, `${kind} took ${ms} ms`)
    }
    assert.deepEqual([await probe('/healthz')], [200])
  }
}

async function probe(path: string): Promise<number> {
  return (await send('GET', instance.baseUrl + path)).status
}

async function becomesUnready(): Promise<void> {
  await until('/readyz to answer 503', async () => (await probe('/readyz')) === 503, UNREADY_WITHIN_MS)
  assert.equal(await probe('/healthz'), 200)
}

/** Every kind of request works again in time, in the same process, on no more connections than before. */
async function recovers(): Promise<void> {
  const deadlineMs = performance.now() + RECOVERED_WITHIN_MS
  for (const kind of Object.keys(KINDS)) {
    const works = async () => (await KINDS[kind]!()).status < 500
    await until(`${kind} to work again`, works, Math.max(1, deadlineMs - performance.now()))
  }
  assert.equal(await probe('/readyz'), 200)
  process.kill(instance.pid, 0)
}

async function stored(): Promise<Stored> {
  const isDrained = async () => {
    const [row] = await instance.sql<{ busy: boolean }>(
      `select exists (select from outbox o, outbox_cursors c where (o.tx, o.position) > (c.tx, c.position))
         or exists (select from delivery_queue) as busy`,
    )
    return row?.busy === false
  }
  await until('outbox and delivery queue to drain', isDrained, DRAINED_WITHIN_MS)
  const rows = await instance.sql<{ batch: string; rows: string; items: string }>(
    `select data ->> 'batch' as batch, count(*) as rows, count(distinct data ->> 'item') as items
     from events where type = 'event.recorded' and data ? 'batch' group by 1`,
  )
  return new Map(rows.map((row) => [Number(row.batch), { rows: Number(row.rows), items: Number(row.items) }]))
}

const acknowledged = (batch: Batch) => batch.fate === 'acknowledged'

/** Waits until the traffic gets through, so that an outage begins and ends in the middle of it. */
async function someAcknowledged(): Promise<void> {
  const before = ledger.batches.filter(acknowledged).length
  const more = async () => ledger.batches.filter(acknowledged).length >= before + 20
  await until('batches to be acknowledged', more, DRAINED_WITHIN_MS)
}

// An outage ends with its test, also where that fails: the tests behind it say what is wrong with them alone.
afterEach(() => proxy.become('pass'))

test('stopped: nobody listens where the database was', async (t) => {
  t.diagnostic(`seed ${seed} (DATABASE_AWAY_SEED)`)
  await someAcknowledged()
  await proxy.become('refuse')
  await becomesUnready()
  await allAnswerAway(Object.keys(KINDS))
  const page = await call('GET', '/app/mailbox/default', { headers: { cookie, accept: 'text/html' } })
  assert.equal(page.status, 503, 'pages answer as operations do')
  assert.match(page.text, /The server is busy.*<a class="button" href="\/app\/mailbox\/default">Try again/s)
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: instance.baseUrl }
  const login = await call('POST', '/app/login', { headers: form, body: 'email=a%40b.example&password=x&next=' })
  assert.equal(login.status, 503)
  assert.match(login.text, /may have been done all the same.*<a class="button" href="\/app">To the dashboard/s)
  await proxy.become('pass')
  await recovers()
})

test('half-open: connections stand and nothing comes through', async () => {
  await someAcknowledged()
  await proxy.become('swallow')
  await becomesUnready()
  await allAnswerAway(Object.keys(KINDS))
  await proxy.become('pass')
  await recovers()
})

/** Ends those that the service has at this moment, and answers how many: none, where it has not connected again since the last time. */
async function endConnections(): Promise<number> {
  const ended = await instance.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'postroom-%'`,
  )
  return ended.length
}

test('killed: every connection is ended at once, again and again', async () => {
  await someAcknowledged()
  for (let kill = 0; kill < 5; kill++) {
    await until('connections to end', async () => (await endConnections()) > 0, RECOVERED_WITHIN_MS)
    for (const first of await Promise.all(Object.keys(KINDS).map(timed))) {
      const { kind, status, ms } = await inTime(first)
      assert.ok(status < 500 || status === 503, `${kind} ${status}`)
      assert.ok(ms <= ANSWER_MS_MAX + MEASURING_MS, `${kind} took ${ms} ms`)
    }
  }
  await recovers()
})

test('read-only: what would be written is refused, and taken again once the database takes it', async () => {
  await someAcknowledged()
  const setReadOnly = (on: boolean) =>
    instance.sql(
      `set transaction_read_only = off;
       alter database ${instance.database.name} set default_transaction_read_only = ${on}`,
    )
  await setReadOnly(true)
  await proxy.become('refuse')
  await proxy.become('pass')
  await becomesUnready()
  await allAnswerAway([...WRITING])
  await setReadOnly(false)
  await recovers()
})

test('after all of it nothing acknowledged is lost, nothing is doubled, and connections are as before', async () => {
  await someAcknowledged()
  sending = false
  await traffic
  const { recovered, ...faults } = judge(ledger, await stored())
  assert.deepEqual(faults, NO_FAULTS)
  assert.ok(ledger.count('unknown') >= recovered)
  const isQuiet = async () => {
    const rows = await instance.sql<{ state: string }>(
      `select state from pg_stat_activity where datname = current_database() and application_name like 'postroom-%'`,
    )
    return rows.length <= 15 + 25 + 1 && rows.every((row) => row.state === 'idle')
  }
  await until('connections to be idle', isQuiet, DRAINED_WITHIN_MS)
  const errors = instance
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
  assert.deepEqual(errors, [], 'what is away is warned of and counted, whoever meets it')
})

test('asked to stop while nothing comes through, the service ends in time', async (t) => {
  await proxy.become('swallow')
  const startedMs = performance.now()
  process.kill(instance.pid, 'SIGTERM')
  await instance.ended
  const tookMs = performance.now() - startedMs
  t.diagnostic(`ended after ${Math.round(tookMs)} ms`)
  assert.ok(tookMs < STOPPED_WITHIN_MS, `${tookMs} ms`)
})

test('an embedded server that is killed is back within seconds, the service never ends', async () => {
  const embedded: Instance = await startInstance({ env: NO_PATIENCE })
  try {
    const post = () =>
      send('POST', `${embedded.baseUrl}/api/events`, {
        token: embedded.token,
        json: { events: [{ action: 'embedded', subjectId: 'a' }] },
      })
    let acked = 0
    for (let kill = 0; kill < 2; kill++) {
      for (let count = 0; count < 20; count++) if ((await post()).status === 204) acked++
      const postgres = await openEmbeddedPostgres({ dataDir: embedded.dataDir, log: silentLog })
      const { pid } = postgres
      await postgres.leave()
      process.kill(pid, 'SIGKILL')
      const health = await send('GET', `${embedded.baseUrl}/healthz`)
      assert.equal(health.status, 200)
      const first = await post()
      assert.ok(first.status === 204 || first.status === 503, String(first.status))
      if (first.status === 204) acked++
      const works = async () =>
        (await send('GET', `${embedded.baseUrl}/api/contacts`, { token: embedded.token })).status === 200
      await until('the service to work again', works, RECOVERED_WITHIN_MS)
    }
    process.kill(embedded.pid, 0)
    const postgres = await openEmbeddedPostgres({ dataDir: embedded.dataDir, log: silentLog })
    await postgres.leave()
    const { json } = await send('GET', `${embedded.baseUrl}/readyz`)
    assert.deepEqual(json, { status: 'ok' })
    // All before the first kill; after it some may be told 503 until the last dead connection is noticed.
    assert.ok(acked >= 20, `${acked} acknowledged`)
  } finally {
    await embedded.stop()
  }
})
