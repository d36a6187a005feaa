import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/** Requests to make at least; they go on until the last kill is over. */
const KEYS_MIN = 300
const CLIENTS = 8
const KILLS = 2
const TRIES_MAX = 400

test('a request under one key takes effect once, whoever is killed and whatever lease is taken away', async (t) => {
  const seed = seedFrom('IDEMPOTENCY_SEED')
  t.diagnostic(`seed ${seed} (IDEMPOTENCY_SEED)`)
  const random = seededRandom(seed)
  const settings = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    // Each key makes an endpoint.
    WEBHOOK_ENDPOINTS_MAX: '10000',
  }
  const steady = await startTestedInstance(settings)
  const { database, token } = steady
  const start = () =>
    startInstance({ env: { ...settings, DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token, ROLE: 'web' } })
  let mortal: Instance = await start()
  t.after(async () => {
    await mortal.kill()
    await steady.close()
  })

  const outcomes = new Map<string, number>()
  let next = 0
  let killed = false
  async function client(): Promise<void> {
    while (next < KEYS_MIN || !killed) await insist(next++)
  }
  /** Repeats a request under its key until it is answered for good. Nothing about an endpoint is unique but its id. */
  async function insist(n: number): Promise<void> {
    const call = {
      token,
      headers: { 'idempotency-key': `key-${n}` },
      json: { url: `http://127.0.0.1:8099/${n}`, enabled: false },
    }
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const at = random() < 0.5 ? steady : mortal
      // Twice at once, as an impatient client does.
      const answers = await Promise.all(
        [0, 1].map(() => send('POST', `${at.baseUrl}/api/webhooks`, call).catch(() => undefined)),
      )
      const final = answers.find((answer) => answer?.status === 201 || answer?.json?.code === 'idempotent-answer-lost')
      if (final) {
        outcomes.set(final.json.code ?? 'made', (outcomes.get(final.json.code ?? 'made') ?? 0) + 1)
        return
      }
      for (const answer of answers) assert.ok(!answer || answer.status === 409 || answer.status === 503, answer?.text)
      await sleep(5)
    }
    assert.fail(`key-${n} was never answered`)
  }

  let over = false
  // Requests that are still being worked on are given up for dead all the time: their repeats overtake them.
  const takeAway = (async () => {
    while (!over) {
      await steady.sql('update idempotency_keys set leased_until = now() where status is null')
      await sleep(20)
    }
  })()
  const killing = (async () => {
    for (let kills = 0; kills < KILLS; kills++) {
      await sleep(100 + random() * 400)
      await mortal.kill()
      mortal = await start()
    }
    killed = true
  })()
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await killing
  over = true
  await takeAway

  const made = await steady.sql<{ url: string; count: string }>(
    'select url, count(*) from webhook_endpoints group by url',
  )
  assert.equal(made.length, next)
  assert.deepEqual(
    made.filter(({ count }) => count !== '1'),
    [],
  )
  t.diagnostic(JSON.stringify(Object.fromEntries(outcomes)))
})
