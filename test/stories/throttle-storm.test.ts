import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { startSendingEngine } from '../support/sending-engine.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets } from '../support/sending-world.ts'
import { SES_LOGIN, SES_REGION, sesError, startSesPeer } from '../support/ses-peer.ts'
import { startDialogue } from '../support/smtp-dialogue.ts'
import { createWorkspace, testWorkspace } from '../support/workspace.ts'

/** How long it storms, and how long it is waited for the old rate; STORM_SECONDS=600 RECOVERY_SECONDS=65 is the long form. */
const STORM_SECONDS = Number(process.env.STORM_SECONDS ?? 10)
const RECOVERY_SECONDS = Number(process.env.RECOVERY_SECONDS ?? 0)
const CALM_SECONDS = 2
const PER_SECOND = 50
/** Mail that was put off in the storm is sent after it. */
const TEST_MS_MAX = 300_000 + 2 * (STORM_SECONDS + RECOVERY_SECONDS) * 1_000
/** The first provider says it to so much of all in the storm, whatever the rate; the other takes so many a second. */
const THROTTLED_PART = 1 / 3
const TAKEN_PER_SECOND = 8
/**
 * Of what a provider takes, that it must be given once the rate has settled; that is seen in the end of the storm. In the long
 * form, on a machine of its own: how much a busy one gives in seconds is its own matter, and slowdown.test.ts has a clock of its own.
 */
const USED_PART = STORM_SECONDS >= 60 ? 0.7 : 0.25
/** The rate is tried out now and then: what is promised is an average, and four seconds may be one such try. */
const SETTLED_SECONDS = STORM_SECONDS >= 60 ? 30 : 4
const seed = seedFrom('STORM_SEED')
const random = seededRandom(seed)
console.log(`seed ${seed}`)

const { pool } = await testWorkspace({ connections: 20 })
const secrets = testSecrets()
const closing: { close(): unknown }[] = []
// Before the database goes, also when a test fails with messages under way.
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close()
})

/** A provider's reply to a message: undefined takes it. Notes each time it is offered one, and takes one. */
type Weather = { ask(): string | undefined; storm: boolean; readonly offeredAt: number[]; readonly takenAt: number[] }

function weather(words: readonly string[], refuses: () => boolean): Weather {
  const offeredAt: number[] = []
  const takenAt: number[] = []
  return {
    ...{ storm: false, offeredAt, takenAt },
    ask() {
      const now = performance.now()
      offeredAt.push(now)
      if (this.storm && refuses()) return words[Math.floor(random() * words.length)]
      takenAt.push(now)
      return undefined
    },
  }
}

/** Refuses beyond so many in each second. */
function beyond(perSecond: number): () => boolean {
  let [second, count] = [0, 0]
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) count = 0
    second = now
    count += 1
    return count > perSecond
  }
}

async function world(store: (workspaceId: string) => Promise<unknown>) {
  const workspaceId = await createWorkspace(pool)
  await store(workspaceId)
  await storeVerifiedDomain(pool, secrets, { workspaceId })
  const engine = startSendingEngine(pool, secrets, workspaceId)
  closing.push(engine)
  return engine
}

/** How many of these moments were in the last so many seconds, a second. */
function lately(moments: readonly number[], seconds: number): number {
  const since = performance.now() - seconds * 1_000
  return moments.filter((at) => at >= since).length / seconds
}

/**
 * A broadcast through calm, storm and calm: it gets near what the provider takes in the storm (`takes`, of what it took in
 * the calm), and in the end everybody has it and nobody is worse off.
 */
async function sail(
  engine: Awaited<ReturnType<typeof world>>,
  sky: Weather,
  takes: (calm: number) => number,
): Promise<void> {
  // Enough for the full rate throughout: it must not be for want of messages that fewer are offered.
  const count = PER_SECOND * (CALM_SECONDS + STORM_SECONDS + RECOVERY_SECONDS)
  const { totals, hurry } = await engine.broadcast('1', { count, domain: 'there.example' })
  await eventually('the first message', () => sky.offeredAt.length > 0)
  await delay(CALM_SECONDS * 1_000)
  const calm = lately(sky.takenAt, CALM_SECONDS - 1)
  sky.storm = true
  await delay(STORM_SECONDS * 1_000)
  const [stormy, taken] = [lately(sky.offeredAt, SETTLED_SECONDS), lately(sky.takenAt, SETTLED_SECONDS)]
  sky.storm = false
  await hurry()
  await delay(RECOVERY_SECONDS * 1_000)
  const recovered = lately(sky.offeredAt, 5)
  const settled = async () => {
    const { states } = await totals()
    return states.accepted === count
  }
  await eventually('everybody to have it', settled, 60_000 + (count / PER_SECOND) * 3_000)
  const after = RECOVERY_SECONDS > 0 ? `, ${recovered.toFixed(1)} after ${RECOVERY_SECONDS} s` : ''
  const facts = `${calm.toFixed(1)} a second in the calm; in the storm ${stormy.toFixed(1)} offered, ${taken.toFixed(1)} taken`
  console.log(`${facts}${after}`)
  assert.ok(taken >= USED_PART * takes(calm), facts)
  assert.ok(stormy <= 0.95 * PER_SECOND, facts)
  if (RECOVERY_SECONDS >= 65) assert.ok(recovered >= calm * 0.9, `${recovered}`)
  const { states, recipients } = await totals()
  assert.deepEqual([recipients, states.accepted, states.failed, states.uncertain], [count, count, 0, 0])
  const [harm] = await engine.rows(
    `select (select count(*) from suppressions) as suppressed, (select count(*) from messages where bounced_at is not null) as bounced,
      (select max(attempts) from messages) as attempts,
      (select count(*) from message_attempts where outcome = 'throttled') as throttled,
      (select count(*) from outbox where type = 'email.bounced') as told`,
  )
  const throttled = Number(harm?.throttled)
  assert.ok(throttled > 0)
  assert.deepEqual({ ...harm, throttled }, { suppressed: '0', bounced: '0', attempts: 1, throttled, told: '0' })
  assert.deepEqual(engine.troubles, [])
}

const TOO_FAST = [
  '454 Throttling failure: Maximum sending rate exceeded.',
  '421 4.7.0 Too many messages, closing',
  '451 4.7.1 Rate limit exceeded, slow down',
]

test('a provider that says too fast, by SMTP or by Amazon SES, gets what it takes, and loses no message', {
  timeout: TEST_MS_MAX,
}, async () => {
  const sky = weather(TOO_FAST, () => random() < THROTTLED_PART)
  const server = await startDialogue({ end: () => sky.ask() ?? 'usual' })
  closing.push(server)
  const engine = await world((id) => storeIntegration(pool, id, { port: server.port, maxPerSecond: PER_SECOND }))
  const names = ['TooManyRequestsException', 'ThrottlingException', 'LimitExceededException']
  const above = weather(names, beyond(TAKEN_PER_SECOND))
  const ses = await startSesPeer()
  closing.push(ses)
  ses.misbehave(() => {
    const name = above.ask()
    return name === undefined ? undefined : sesError(name === names[0] ? 429 : 400, name)
  })
  const amazon = await world((id) => storeSes(id, ses.url))
  await Promise.all([
    sail(engine, sky, (calm) => calm * (1 - THROTTLED_PART)),
    sail(amazon, above, (calm) => Math.min(calm, TAKEN_PER_SECOND)),
  ])
})

test('whatever a server puts off with, at whatever step, the message comes again and arrives', async () => {
  const words = ['421 4.3.2 closing', '450 4.2.1 later', '451 4.3.0 error', '452 4.2.2 full', '454 4.7.0 busy']
  const steps = ['mail', 'rcpt', 'data', 'end'] as const
  const left = steps.flatMap((step) => words.map((word) => ({ step, word })))
  const storm = (step: (typeof steps)[number]) => () => {
    const at = left.findIndex((one) => one.step === step)
    return at === -1 ? 'usual' : left.splice(at, 1)[0]!.word
  }
  const server = await startDialogue(Object.fromEntries(steps.map((step) => [step, storm(step)])))
  closing.push(server)
  const engine = await world((id) => storeIntegration(pool, id, { port: server.port }))
  const count = steps.length * words.length
  const { totals, hurry } = await engine.broadcast('1', { count, domain: 'there.example' })
  await eventually(
    'everybody to have it',
    async () => {
      await hurry()
      return (await totals()).states.accepted === count
    },
    60_000,
  )
  assert.deepEqual(left, [])
  const [harm] = await engine.rows('select count(*) as n from suppressions')
  assert.deepEqual([harm?.n, server.contents.length], ['0', count + words.length])
})

test('a server that ends sessions costs no attempt, no pause of a receiver and no slow-down, and is what is named', async () => {
  const few = 10
  const carried = new WeakMap<object, number>()
  let ends = 0
  let isRestarting = false
  const server = await startDialogue({
    mail(_line, socket) {
      if (isRestarting) return '421 4.3.2 restarting'
      if ((carried.get(socket) ?? 0) < few) return 'usual'
      ends += 1
      return '421 4.7.0 closing transmission channel'
    },
    end(_line, socket) {
      carried.set(socket, (carried.get(socket) ?? 0) + 1)
      return 'usual'
    },
  })
  closing.push(server)
  const engine = await world((id) => storeIntegration(pool, id, { port: server.port }))
  const count = 400
  const { totals } = await engine.broadcast('1', { count, domain: 'there.example' })
  await eventually('everybody to have it', async () => (await totals()).states.accepted === count, 60_000)
  assert.ok(ends > 0)
  const harm = await engine.rows(
    `select (select count(*)::int from domain_backoffs) as backoffs, (select count(*)::int from message_attempts) as tries,
      (select count(*)::int from send_paces where slowed_at is not null) as slowed, (select max(attempts) from messages) as attempts`,
  )
  assert.deepEqual(harm, [{ backoffs: 0, tries: 0, slowed: 0, attempts: 1 }])

  isRestarting = true
  await engine.broadcast('2', { count: 3, domain: 'elsewhere.example' })
  const stands = () =>
    engine.rows(
      `select hold_reason as hold, (select array_agg(distinct outcome || ' ' || cause) from message_attempts) as causes
       from send_streams where source_id = 2`,
    )
  await eventually('the stream to be held', async () => (await stands())[0]?.hold !== null)
  assert.deepEqual(await stands(), [{ hold: 'server_unreachable', causes: ['lost session_ended'] }])
  assert.deepEqual(await engine.rows('select domain from domain_backoffs'), [])
})

function storeSes(workspaceId: string, endpoint: string) {
  const key = (field: string) => `${workspaceId}/integrations/1000/${field}`
  return queryInScope(pool, workspaceId, {
    text: `insert into integrations (workspace_id, id, name, channel, provider, enabled, is_default, from_email, region, endpoint,
        access_key_id, secret_access_key, access_key_id_last4, max_per_second)
      overriding system value values ($1, 1000, 'SES', 'email', 'ses', true, true, 'news@sender.example', $2, $3, $4, $5, '0000', $6)`,
    values: [
      ...[workspaceId, SES_REGION, endpoint, secrets.seal(SES_LOGIN.accessKeyId, key('access_key_id'))],
      ...[secrets.seal(SES_LOGIN.secretAccessKey, key('secret_access_key')), PER_SECOND],
    ],
  })
}
