import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { parseExposition, seriesOf } from '../contract/exposition.ts'
import { send } from '../support/http-client.ts'
import { freePort, until } from '../support/instance.ts'
import { startWithPortTakenLate } from '../support/port-taken-late.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom, untilUp } from '../support/postroom-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

/*
 * One start that runs four processes: the one that was started, one that answers requests, two that work.
 */

const WITHIN_MS = 90_000
/** Four processes compile the program at the same time. */
const NAMES = ['main', 'web', 'worker-1', 'worker-2']

let database: TestDatabase
let receiver: Receiver
let settings: Record<string, string>
let service: PostroomProcess
let baseUrl: string
let metricsUrl: string
const token = `several-${randomBytes(24).toString('hex')}`

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  database = await createTestDatabase().finally(() => clearInterval(stay))
  receiver = await startReceiver()
  const [port, metricsPort] = [await freePort(), await freePort()]
  settings = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: token,
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_ADDR: `127.0.0.1:${metricsPort}`,
    MAILBOX_ADDR: '127.0.0.1:0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'info',
    PROCESSES: '3',
    DB_MAX_OPEN_CONNS: '5',
    PGX_MAX_CONNS: '8',
  }
  baseUrl = `http://127.0.0.1:${port}`
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  service = spawnPostroom(['start'], { env: settings })
  await untilUp(service)
})
after(async () => {
  await service.end('SIGKILL')
  await receiver.close()
  await database.drop()
})

test('the page of metrics has the probes of all', async () => {
  for (const probe of ['healthz', 'readyz']) {
    assert.equal((await fetch(metricsUrl.replace('metrics', probe))).status, 200)
  }
})

const call = async (path: string, json: object) => send('POST', baseUrl + path, { token, json })

type Line = { process: string; msg: string; started?: string; processId?: number; ended?: string }
const lines = (): Line[] =>
  service
    .stdout()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))

async function total(name: string, labels: Record<string, string> = {}): Promise<number> {
  const response = await fetch(metricsUrl)
  assert.equal(response.status, 200)
  return seriesOf(parseExposition(await response.text()), name, labels)?.value ?? 0
}
const delivered = () => total('river_work_count_total', { kind: 'deliver_webhook', status: 'ok', attempt: '1' })

async function record(subjects: readonly string[]): Promise<void> {
  const events = subjects.map((subjectId) => ({ action: 'several', subjectId }))
  assert.equal((await call('/api/events', { events })).status, 204)
}

/** The process that was started last under a name. */
function pidOf(name: string): number | undefined {
  return lines().findLast((line) => line.started === name)?.processId
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('requests are answered, events delivered and mail caught, by processes of which each says its name', async () => {
  assert.equal((await call('/api/webhooks', { url: receiver.url, eventTypes: ['several'] })).status, 201)
  await record(Array.from({ length: 20 }, (_, n) => `s${n}`))
  await receiver.waitFor((requests) => requests.length >= 20, WITHIN_MS)
  const mail = { destination: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' }
  assert.equal((await call('/api/emails', mail)).status, 202)
  await until(
    'the mail to be caught',
    async () => (await total('email_send_outcomes_total', { provider: 'smtp', status: 'accepted' })) === 1,
    WITHIN_MS,
  )
  for (const line of lines()) assert.ok(NAMES.includes(line.process), JSON.stringify(line))
})

test('the page of metrics has the sums of all processes, each specified gauge once', async () => {
  await until('the deliveries to be counted', async () => (await delivered()) === 20, WITHIN_MS)
  // Three processes with pools of 8, and our own of 4.
  assert.equal(await total('db_pool_max', { pool: 'pgx' }), 3 * 8 + 4)
  assert.equal(await total('ogen_server_request_count_total', { operation_id: 'Emails_send' }), 1)
  assert.ok((await total('watermill_messages_processed_total', { handler: 'persist_event', error: 'false' })) >= 20)
  const groups = parseExposition(await (await fetch(metricsUrl)).text()).series.filter(
    ({ name }) => name === 'outbox_lag_seconds',
  )
  assert.equal(groups.length, 4)
})

test('a worker that is killed is started again; nothing is lost, and no count falls', async () => {
  const killed = pidOf('worker-1')!
  const before = await delivered()
  process.kill(killed, 'SIGKILL')
  const counts: number[] = [before]
  await record(Array.from({ length: 50 }, (_, n) => `k${n}`))
  const restarted = async () => {
    counts.push(await delivered())
    return lines().some((line) => line.ended === 'worker-1') && pidOf('worker-1') !== killed
  }
  await until('it is at work again', restarted, WITHIN_MS)
  const subjects = () => new Set(receiver.requests.map(({ body }) => JSON.parse(body.toString()).subject as string))
  await receiver.waitFor(() => [...subjects()].filter((one) => one.startsWith('k')).length === 50, WITHIN_MS)
  counts.push(await delivered())
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  )
})

test('asked to end, the process that answers requests ends before those that work, and all of them are gone', async () => {
  const children = ['web', 'worker-1', 'worker-2'].map((name) => pidOf(name)!)
  const { code, stderr } = await service.end()
  assert.deepEqual([code, stderr], [0, ''])
  const stopped = lines()
    .filter(({ msg }) => msg === 'stopped')
    .map((line) => line.process)
  assert.deepEqual([stopped[0], stopped.at(-1)], ['web', 'main'])
  assert.deepEqual(stopped.toSorted(), NAMES)
  assert.deepEqual(children.filter(isAlive), [])
})

test('what one of them cannot start for stops the start with the same line as ever', async () => {
  const { code, stderr } = await startWithPortTakenLate(settings, database.url)
  assert.equal(code, 1)
  assert.match(stderr, /^postroom: HOST 127\.0\.0\.1, PORT \d+ cannot be listened on: another program uses it\n$/)
})
