import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { AnswerLostError, type Client, createClient, PostroomError } from '../../sdk/src/main.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { behindTheBack } from '../support/tested-instance.ts'

/** The long form, by hand: CLIENT_SENDS=10000 CLIENT_KILLS=20, some minutes. */
const SENDS_MIN = Number(process.env.CLIENT_SENDS ?? 200)
const KILLS = Number(process.env.CLIENT_KILLS ?? 3)
/** As many at once as a server has places for: a kill meets more of them. */
const SENDERS = 24
/** Sends that the client gives up and the sender calls again: a process needs some seconds to start. */
const CALLS_MAX = 10_000
/**
 * Where the next process dies: between the moments that decide what a repeat is answered, or while others are answered. The first
 * one is sure to leave an effect that nobody was answered.
 */
const POINTS = ['key_before_answer', 'key_after_answer', 'key_claimed', undefined] as const
const PASSES_MAX = Math.ceil(SENDS_MIN / KILLS / 2)
/** Pauses of the client take this part of their time. */
const PAUSE_PART = 0.02
const TEST_MS_MAX = 3 * 3_600_000

const seed = seedFrom('CLIENT_SEED')
const random = seededRandom(seed)
const database = await createTestDatabase()
after(() => database.drop())

test('a send of the client takes effect once, however often the server is killed', {
  timeout: TEST_MS_MAX,
}, async (t) => {
  t.diagnostic(`seed ${seed} (CLIENT_SEED)`)
  const { sql } = behindTheBack(database)
  const port = await freePort()
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: `crash-${randomBytes(24).toString('hex')}`,
    // Messages are only accepted: what becomes of them then is shown by sending.test.ts.
    ROLE: 'web',
  }
  const start = (point = {}) => startInstance({ port, env: { ...env, ...point } })
  /** Whoever has called in vain waits for the next process: more calls would take its start the processor, and prove nothing. */
  let serving = Promise.resolve()
  let instance: Instance = await start()
  const client = createClient({
    baseUrl: instance.baseUrl,
    token: env.BOOTSTRAP_TOKEN,
    retries: 5,
    pause: (ms) => delay(ms * PAUSE_PART),
  })
  await allowSending(client, sql)

  const sent = new Map<string, string>()
  const counts = { answered: 0, answerLost: 0, calledAgain: 0 }
  let onAnswer: () => void = () => undefined
  let onFault: () => void = () => undefined
  let next = 0
  let isOver = false
  async function sender(): Promise<void> {
    while ((next < SENDS_MIN || !isOver) && faults.length === 0) {
      const destination = `p${next++}@example.com`
      await insist(destination).then(
        (id) => sent.set(destination, id),
        (fault) => faults.push(fault) && onFault(),
      )
      onAnswer()
    }
  }
  /** Whoever works on a key is given up at once, and not only when it was silent for some seconds. */
  const giveUpTheDead = () => sql('update idempotency_keys set leased_until = now() where status is null')
  /** Sends as a program does that must not lose a mail; answers the id of the message, `''` where nobody knows it. */
  async function insist(destination: string): Promise<string> {
    let known = {}
    for (let calls = 0; calls < CALLS_MAX; calls++) {
      try {
        const { id } = await client.emails.send({ destination, subject: 'Welcome', text: 'Hello' }, known)
        counts.answered++
        return id
      } catch (error) {
        if (!(error instanceof AnswerLostError && error.idempotencyKey)) throw error
        if (error.outcome === 'took-effect') {
          counts.answerLost++
          return ''
        }
        counts.calledAgain++
        if (error.cause instanceof PostroomError && error.cause.code === 'request-in-flight') await giveUpTheDead()
        known = { idempotencyKey: error.idempotencyKey }
        await serving
      }
    }
    assert.fail(`${destination} was never answered`)
  }
  const answers = (count: number) =>
    new Promise<void>((resolve) => {
      let left = count
      onAnswer = () => {
        if (--left <= 0) resolve()
      }
    })

  const faults: unknown[] = []
  const broken = new Promise<void>((resolve) => {
    onFault = resolve
  })
  let atPoint = 0
  const killing = async () => {
    let point: (typeof POINTS)[number]
    for (let n = 0; n < KILLS && faults.length === 0; n++) {
      const passes = () => 1 + Math.floor(random() * PASSES_MAX)
      await Promise.race([instance.ended, broken, ...(point ? [] : [answers(passes())])])
      const starting = Promise.withResolvers<void>()
      serving = starting.promise
      await instance.kill()
      if (point) atPoint++
      point = n + 1 < KILLS ? POINTS[n % POINTS.length] : undefined
      const started = await start(point ? { POSTROOM_CRASH_POINT: `${point}:${passes()}` } : {}).catch(
        (error: Error) => {
          assert.match(String(error.cause), /SIGKILL/, error.message)
        },
      )
      if (started) instance = started
      starting.resolve()
    }
    isOver = true
  }
  try {
    await Promise.all([killing(), ...Array.from({ length: SENDERS }, sender)])
    assert.deepEqual(faults, [])
    const messages = await sql<{ id: string; destination: string }>('select id, destination from messages')
    const stored = Map.groupBy(messages, ({ destination }) => destination)
    assert.deepEqual(
      [...stored.keys()].filter((destination) => !sent.has(destination)),
      [],
      'unexpected',
    )
    assert.deepEqual(
      [...sent.keys()].filter((destination) => !stored.has(destination)),
      [],
      'lost',
    )
    assert.deepEqual(
      [...stored].filter(([, rows]) => rows.length > 1),
      [],
      'doubled',
    )
    for (const [destination, id] of sent) if (id !== '') assert.equal(stored.get(destination)![0]!.id, id)
    t.diagnostic(
      `${next} sends, ${KILLS} kills (${atPoint} at a named point): ${JSON.stringify(counts)}, 0 lost, 0 doubled`,
    )
    assert.ok(counts.answerLost > 0, 'no kill met an effect before its answer: this run proves nothing')
  } finally {
    await instance.stop()
  }
})

async function allowSending(client: Client, sql: (text: string) => Promise<unknown>): Promise<void> {
  const config = { kind: 'smtp', host: '127.0.0.1', port: 1, tls: 'none', from: 'news@sender.example' } as const
  await client.integrations.create({ name: 'relay', isDefault: true, config })
  await client.sendingDomains.create({ domain: 'sender.example' })
  await sql('update sending_domain_keys set verified_at = now()')
}
