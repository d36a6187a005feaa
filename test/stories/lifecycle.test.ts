import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { runningPostmaster } from '../../server/platform/postgres/postmaster.ts'
import { judge, Ledger, NO_FAULTS } from '../crash/ledger.ts'
import { sendBatches } from '../crash/traffic.ts'
import { send } from '../support/http-client.ts'
import { freePort, until } from '../support/instance.ts'
import { type PostroomProcess, runPostroom, spawnPostroom } from '../support/postroom-process.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { silentLog } from '../support/silent-log.ts'
import { withClient } from '../support/test-server.ts'

/*
 * One data directory over all the lives of a service, as on somebody's machine: nothing is set but where it is.
 */

const STARTED_WITHIN_MS = 120_000
const STARTED_AGAIN_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const CAUGHT_UP_WITHIN_MS = 60_000

const dataDir = path.join(tmpdir(), `postroom-lifecycle-${randomBytes(6).toString('hex')}`)
const clusterDir = path.join(dataDir, 'postgres')
const ledger = new Ledger()
const seed = seedFrom('LIFECYCLE_SEED')
let settings: Record<string, string>
let running: PostroomProcess
let first: Banner
let wasReadable: boolean

type Banner = { text: string; address: string; email: string; password: string; token: string; curl: string }

before(async () => {
  settings = { PORT: String(await freePort()), DATA_DIR: dataDir, LOG_LEVEL: 'error', LOG_FORMAT: 'pretty' }
  const readable = credentialsWhenReady()
  running = await startService(STARTED_WITHIN_MS)
  first = readBanner(running.stdout())
  wasReadable = await readable
})
after(async () => {
  await stopService('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

/** Whether login and token could be read at the first moment at which the service said that it is ready. */
async function credentialsWhenReady(): Promise<boolean> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${settings.PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) await delay(1)
  return existsSync(path.join(dataDir, 'credentials.txt'))
}

/** Starts the service and waits for what it shows when it is up. In a process group of its own, as under a terminal. */
async function startService(withinMs = STARTED_AGAIN_WITHIN_MS): Promise<PostroomProcess> {
  const started = spawnPostroom(['start'], { env: settings, detached: true })
  const isUp = async () => {
    assert.ok(isAlive(started.pid), `it ended: ${started.stderr()}`)
    return /is running\.[\s\S]*\n\n$/.test(started.stdout())
  }
  await until('the banner', isUp, withinMs)
  return started
}

async function stopService(signal: NodeJS.Signals) {
  if (isAlive(running.pid)) process.kill(running.pid, signal)
  return running.ended
}

function readBanner(text: string): Banner {
  const field = (label: string) => new RegExp(`^ +${label}: +(.+)$`, 'm').exec(text)?.[1] ?? ''
  const [email = '', password = ''] = field('Login').split(/\s+/)
  const curl = /^ +(curl .+)$/m.exec(text)?.[1] ?? ''
  return { text, address: field('Address'), email, password, token: field('API token'), curl }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const call = (method: string, at: string, given: object = {}) =>
  send(method, `http://127.0.0.1:${settings.PORT}${at}`, { token: first.token, ...given })

/** Looks into the database while the service runs. */
async function rowsOf<R extends object>(text: string): Promise<R[]> {
  const postgres = await openEmbeddedPostgres({ dataDir, log: silentLog })
  try {
    return await withClient(postgres.url, async (client) => {
      await client.query(`set postroom.workspace = '*'`)
      return (await client.query<R>(text)).rows
    })
  } finally {
    await postgres.leave()
  }
}

/** Sends batches until `work` is done. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let enough = false
  const traffic = sendBatches(ledger, {
    baseUrl: `http://127.0.0.1:${settings.PORT}`,
    token: first.token,
    connections: 4,
    batchMax: 20,
    pauseMsMax: 10,
    enough: () => enough,
    random: seededRandom(seed),
  })
  try {
    const before = ledger.count('acknowledged')
    const isBusy = async () => ledger.count('acknowledged') >= before + 30
    await until('batches to be acknowledged', isBusy, CAUGHT_UP_WITHIN_MS)
    await work()
  } finally {
    enough = true
    await traffic
  }
}

async function nothingIsLost(): Promise<void> {
  const isCaughtUp = async () => {
    const [row] = await rowsOf<{ behind: boolean }>(
      'select exists (select from outbox o, outbox_cursors c where (o.tx, o.position) > (c.tx, c.position)) as behind',
    )
    return row?.behind === false
  }
  await until('the groups to catch up', isCaughtUp, CAUGHT_UP_WITHIN_MS)
  const rows = await rowsOf<{ batch: string; rows: string; items: string }>(
    `select data ->> 'batch' as batch, count(*) as rows, count(distinct data ->> 'item') as items
     from events where data ? 'batch' group by 1`,
  )
  const stored = new Map(rows.map((row) => [Number(row.batch), { rows: Number(row.rows), items: Number(row.items) }]))
  // Nobody receives webhooks here.
  const { recovered: _, ...faults } = judge(ledger, stored)
  assert.deepEqual({ ...faults, undelivered: 0 }, NO_FAULTS)
}

const isDatabaseRunning = async () => (await runningPostmaster(clusterDir)) !== undefined

test('it says that it is ready when login and token can be read', () => {
  assert.equal(wasReadable, true)
})

test('the first start shows where it is, how to get in and what to try, and the line to paste works', async (t) => {
  t.diagnostic(`seed ${seed} (LIFECYCLE_SEED)`)
  assert.equal(first.address, `http://localhost:${settings.PORT}`)
  assert.match(first.text, /API reference: +http:\/\/localhost:\d+\/docs$/m)
  assert.match(first.text, /PostgreSQL 1\d\.\d+, embedded, in /)
  assert.match(first.email, /^[^@\s]+@[^@\s]+$/)
  assert.match(first.token, /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/)
  assert.ok(first.password.length >= 16)
  assert.ok(first.text.split('\n').length < 30, 'it is short')
  assert.equal((await call('GET', '/api/auth/me')).json.workspace.id, '1')
  const login = await call('POST', '/site/auth/login', { json: { email: first.email, password: first.password } })
  assert.deepEqual([login.status, login.json.workspaces[0].role], [200, 'owner'])

  assert.ok(first.curl.includes(first.token))
  const { stdout } = await promisify(execFile)('sh', ['-c', first.curl]).catch((error) => {
    if (error.code !== 127) throw error
    t.diagnostic('there is no curl on this machine')
    return { stdout: undefined }
  })
  if (stdout === undefined) return
  assert.match(stdout, /^HTTP\/1\.1 202 /)
  const hasArrived = async () => (await rowsOf(`select from caught_mails where subject = 'Hello, Ada'`)).length === 1
  await until('the mail to be in the mailbox', hasArrived, CAUGHT_UP_WITHIN_MS)
})

test('the credentials are kept where only their owner reads them', async () => {
  const file = /kept in (\S+)/.exec(first.text)?.[1] ?? ''
  assert.equal(path.dirname(file), dataDir)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const text = await readFile(file, 'utf8')
  for (const value of [first.email, first.password, first.token]) assert.ok(text.includes(value))
  assert.equal((await stat(path.join(dataDir, 'encryption.key'))).mode & 0o777, 0o600)
})

test('a second start on the same directory says so in one line', async () => {
  const { code, stdout, stderr } = await runPostroom(['start'], { ...settings, PORT: String(await freePort()) })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^postroom: [^\n]*\n$/)
  assert.ok(
    stderr.includes(`${dataDir} is in use by process ${running.pid} (http://localhost:${settings.PORT})`),
    stderr,
  )
  assert.equal((await call('GET', '/readyz')).status, 200)
})

test('SIGTERM under load: work is finished, everything acknowledged is there, no process is left', async () => {
  await underLoad(async () => {
    const startedMs = performance.now()
    const { code, signal, stderr } = await stopService('SIGTERM')
    assert.deepEqual([code, signal], [0, null], stderr)
    assert.equal(stderr, '')
    assert.ok(performance.now() - startedMs < STOPPED_WITHIN_MS)
    assert.equal(await isDatabaseRunning(), false)
  })
  running = await startService()
  await nothingIsLost()
})

test('a later start shows no credentials, and the first ones still hold', async () => {
  const again = readBanner(running.stdout())
  assert.deepEqual([again.address, again.email, again.token], [first.address, '', ''])
  for (const value of [first.password, first.token]) assert.ok(!again.text.includes(value))
  const login = await call('POST', '/site/auth/login', { json: { email: first.email, password: first.password } })
  assert.equal(login.status, 200)
  const [counts] = await rowsOf<object>(
    `select (select count(*) from workspaces)::int as workspaces, (select count(*) from users)::int as users,
       (select count(*) from api_tokens)::int as tokens`,
  )
  assert.deepEqual(counts, { workspaces: 1, users: 1, tokens: 1 })
})

test('Ctrl-C, which reaches the whole process group, stops everything in order', async () => {
  await underLoad(async () => {
    // The database is a child of the same terminal: it must not be taken away from under the service.
    process.kill(-running.pid, 'SIGINT')
    const { code, signal, stderr } = await running.ended
    assert.deepEqual([code, signal], [0, null], stderr)
    assert.equal(stderr, '')
    assert.equal(await isDatabaseRunning(), false)
  })
  running = await startService()
  await nothingIsLost()
})

test('kill -9: the next start works at once and has everything', async () => {
  await underLoad(async () => {
    await stopService('SIGKILL')
  })
  running = await startService()
  await nothingIsLost()
})

test('kill -9 of the service and its database: the next start works at once and has everything', async () => {
  await underLoad(async () => {
    const postmaster = await runningPostmaster(clusterDir)
    process.kill(postmaster?.pid ?? assert.fail('no database'), 'SIGKILL')
    await stopService('SIGKILL')
  })
  running = await startService()
  await nothingIsLost()
  assert.equal((await call('GET', '/api/auth/me')).status, 200)
})

test('commands work on the directory while the service runs, and start the database for themselves while it does not', async () => {
  const list = async () => {
    const { code, stdout, stderr } = await runPostroom(['token', 'list'], settings)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /First token/)
  }
  await list()
  assert.equal((await call('GET', '/readyz')).status, 200)
  await stopService('SIGTERM')
  await list()
  assert.equal(await isDatabaseRunning(), false)
  // A start that comes while a command has the directory waits for it.
  const command = runPostroom(['token', 'list'], settings)
  await until('the database to be started', isDatabaseRunning, STARTED_AGAIN_WITHIN_MS)
  running = await startService()
  assert.equal((await command).code, 0)
})

test('asked to stop while it starts, it stops', async () => {
  await stopService('SIGTERM')
  const early = spawnPostroom(['start'], { env: settings })
  await until('the database to be started', isDatabaseRunning, STARTED_AGAIN_WITHIN_MS)
  process.kill(early.pid, 'SIGTERM')
  const { code, signal } = await early.ended
  assert.equal(signal, null)
  assert.equal(code, 0, early.stderr())
  assert.equal(await isDatabaseRunning(), false)
  running = await startService()
  await nothingIsLost()
})
