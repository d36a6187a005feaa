import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { freePort, until } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom } from '../support/postroom-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/*
 * A process is asked to end while the database is away and answers of receivers wait to be recorded. It ends in time, says
 * so, and the next process does what it could not record.
 */

const STARTED_WITHIN_MS = 90_000
/** The time that the service promises, and the time that a busy machine adds to it. */
const ENDED_WITHIN_MS = 32_000
const AGAIN_WITHIN_MS = 90_000

let database: TestDatabase
let proxy: TcpProxy
let receiver: Receiver
let settings: Record<string, string>
const running = new Map<number, Promise<unknown>>()
const token = `stopping-${randomBytes(24).toString('hex')}`

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  database = await createTestDatabase().finally(() => clearInterval(stay))
  receiver = await startReceiver()
  const url = new URL(database.url)
  proxy = await startTcpProxy(Number(url.port))
  settings = {
    DATABASE_URL: Object.assign(url, { port: String(proxy.port) }).href,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: token,
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    LOG_FORMAT: 'json',
    ...NO_PATIENCE,
  }
})
after(async () => {
  for (const [pid, ended] of running) {
    process.kill(pid, 'SIGKILL')
    await ended
  }
  await proxy.close()
  await receiver.close()
  await database.drop()
})

async function startProcess(): Promise<PostroomProcess & { call: (path: string, json: object) => Promise<number> }> {
  const port = await freePort()
  const started = spawnPostroom(['start'], { env: { ...settings, PORT: String(port) } })
  running.set(started.pid, started.ended)
  void started.ended.then(() => running.delete(started.pid))
  const isUp = async () => {
    assert.ok(running.has(started.pid), `it ended: ${started.stderr()}${started.stdout()}`)
    return started.stdout().includes('is running')
  }
  await until('the start', isUp, STARTED_WITHIN_MS)
  const call = async (path: string, json: object) =>
    (await send('POST', `http://127.0.0.1:${port}${path}`, { token, json })).status
  return { ...started, call }
}

const linesOf = (stdout: string) =>
  stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))
const subjects = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()).subject as string)

for (const mode of ['refuse', 'swallow'] as const) {
  test(`asked to end while the database is away (${mode}) and results wait, it ends in time and leaves them to the next`, async () => {
    const subject = `subject-${mode}`
    const asking = Promise.withResolvers<void>()
    receiver.behave(({ body }) => {
      if (JSON.parse(body.toString()).subject !== subject) return { kind: 'answer' }
      asking.resolve()
      return { kind: 'answer', delayMs: 1_000 }
    })
    const first = await startProcess()
    if (mode === 'refuse') {
      assert.equal(await first.call('/api/webhooks', { url: receiver.url, eventTypes: ['stopping'] }), 201)
    }
    assert.equal(await first.call('/api/events', { events: [{ action: 'stopping', subjectId: subject }] }), 204)
    await asking.promise
    await proxy.become(mode)
    const askedMs = performance.now()
    process.kill(first.pid, 'SIGTERM')
    const limit = setTimeout(() => process.kill(first.pid, 'SIGKILL'), ENDED_WITHIN_MS + 5_000)
    const { code, signal, stdout } = await first.ended
    clearTimeout(limit)
    const tookMs = performance.now() - askedMs
    assert.deepEqual([code, signal], [1, null])
    assert.ok(tookMs < ENDED_WITHIN_MS, `ended after ${tookMs} ms`)
    const last = linesOf(stdout).at(-1)
    assert.match(String(last?.msg), /stopped, with results that the database did not take|not stopped in time/)
    receiver.behave({ kind: 'answer' })
    await proxy.become('pass')
    const arrived = subjects().filter((one) => one === subject).length
    const second = await startProcess()
    await until(
      'the delivery of the first',
      async () => subjects().filter((one) => one === subject).length > arrived,
      AGAIN_WITHIN_MS,
    )
    process.kill(second.pid, 'SIGTERM')
    assert.equal((await second.ended).code, 0)
  })
}

test('asked to end while the database is away and nothing waits, it ends as always', async () => {
  const started = await startProcess()
  await proxy.become('refuse')
  process.kill(started.pid, 'SIGTERM')
  const { code, stdout } = await started.ended
  await proxy.become('pass')
  assert.equal(code, 0)
  assert.equal(linesOf(stdout).at(-1)?.msg, 'stopped')
})
