import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, suite, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { freePort, until } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom, untilUp } from '../support/postroom-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

/*
 * A process is asked to end while the database is away and answers of receivers wait to be recorded. It ends in time, says
 * so, and the next process does what it could not record.
 */

/** The 30 s that the service promises, and the time that a busy machine adds to it. */
const ENDED_WITHIN_MS = 45_000
const AGAIN_WITHIN_MS = 90_000
const CALLED_WITHIN_MS = 60_000
/** For the database to be away before the receiver has answered. */
const ANSWER_MS = 3_000

const token = `stopping-${randomBytes(24).toString('hex')}`
const linesOf = (stdout: string) =>
  stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))

/** A database behind a proxy, a receiver, and processes that begin on it. */
async function openWorld() {
  const database = await createTestDatabase()
  const receiver = await startReceiver()
  const url = new URL(database.url)
  const proxy = await startTcpProxy(Number(url.port))
  const settings = {
    DATABASE_URL: Object.assign(url, { port: String(proxy.port) }).href,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: token,
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    LOG_FORMAT: 'json',
    ...NO_PATIENCE,
  }
  const all: PostroomProcess[] = []
  after(async () => {
    await Promise.all(all.map((one) => one.end('SIGKILL')))
    await proxy.close()
    await receiver.close()
    await database.drop()
  })
  async function startProcess() {
    const port = await freePort()
    const started = spawnPostroom(['start'], { env: { ...settings, PORT: String(port) } })
    all.push(started)
    await untilUp(started)
    /** Again when the database is slow for a moment, which here makes it away. */
    const call = (path: string, json: object, status: number) =>
      until(
        `${path} to be taken`,
        async () => (await send('POST', `http://127.0.0.1:${port}${path}`, { token, json })).status === status,
        CALLED_WITHIN_MS,
      )
    return { ...started, call }
  }
  return { receiver, proxy, startProcess }
}

// Each waits for most of the time that the service has to end.
suite('asked to end while the database is away', { concurrency: true }, () => {
  for (const mode of ['refuse', 'swallow'] as const) {
    test(`and results wait (${mode}), it ends in time and leaves them to the next`, async () => {
      const { receiver, proxy, startProcess } = await openWorld()
      const asking = Promise.withResolvers<void>()
      receiver.behave(() => {
        asking.resolve()
        return { kind: 'answer', delayMs: ANSWER_MS }
      })
      const first = await startProcess()
      await first.call('/api/webhooks', { url: receiver.url, eventTypes: ['stopping'] }, 201)
      await first.call('/api/events', { events: [{ action: 'stopping', subjectId: 'waits' }] }, 204)
      await asking.promise
      await proxy.become(mode)
      const askedMs = performance.now()
      const limit = setTimeout(() => first.end('SIGKILL'), ENDED_WITHIN_MS + 5_000)
      const { code, signal, stdout } = await first.end()
      clearTimeout(limit)
      const tookMs = performance.now() - askedMs
      assert.deepEqual([code, signal], [1, null])
      assert.ok(tookMs < ENDED_WITHIN_MS, `ended after ${tookMs} ms`)
      const last = linesOf(stdout).at(-1)
      assert.match(String(last?.msg), /stopped, with results that the database did not take|not stopped in time/)
      receiver.behave({ kind: 'answer' })
      await proxy.become('pass')
      const arrived = receiver.requests.length
      const second = await startProcess()
      await until('the delivery of the first', async () => receiver.requests.length > arrived, AGAIN_WITHIN_MS)
      assert.equal((await second.end()).code, 0)
    })
  }

  test('and nothing waits, it ends as always', async () => {
    const { proxy, startProcess } = await openWorld()
    const started = await startProcess()
    await proxy.become('refuse')
    const { code, stdout } = await started.end()
    assert.equal(code, 0)
    assert.equal(linesOf(stdout).at(-1)?.msg, 'stopped')
  })
})
