import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { startSendingServer } from '../support/sending-server.ts'
import { behindTheBack } from '../support/tested-instance.ts'

/** The long form, by hand: SENDING_MESSAGES=10000 SENDING_KILLS=500. */
const MESSAGES = Number(process.env.SENDING_MESSAGES ?? 500)
const KILLS = Number(process.env.SENDING_KILLS ?? 10)
const BATCH = 100
/** Messages that become due with each process, so that the last one to be killed has as much to do as the first. */
const SHARE = Math.ceil(MESSAGES / KILLS)
/** How long a process may work before its point is passed often enough. */
const ARMED_MS_MAX = 10_000
/** Every phase between two commits: those of a message, and those passed by several messages at once. */
const MESSAGE_POINTS = ['message_built', 'content_before_end', 'content_sent', 'content_answered']
const GROUP_POINTS = [
  ...['send_turn_begun', 'send_turn_claimed', 'handing_before_commit', 'handing_after_commit'],
  ...['results_before_commit', 'results_after_commit', 'send_turn_before_end', 'send_turn_ended'],
]
const GROUP_PASSES_MAX = 3
/** Passed by every process that has something to do. */
const SURE_POINT = 'send_turn_claimed:1'
const LOOK_EVERY_MS = 100
const SETTLE_MS_MAX = 120_000 + 20 * MESSAGES
const TEST_MS_MAX = 3 * 3_600_000
/** Messages on the wire or waiting to be recorded in one process: those that one kill can leave uncertain. */
const IN_FLIGHT_MAX = 200

const seed = seedFrom('SENDING_SEED')
const random = seededRandom(seed)
const database = await createTestDatabase()
const server = await startSendingServer({ answerMs: () => random() * 40 })
after(async () => {
  await server.close()
  await database.drop()
})

/** A point, and at which pass of it. */
function anyPoint(): string {
  const [points, passes] = random() < 0.5 ? [MESSAGE_POINTS, SHARE] : [GROUP_POINTS, GROUP_PASSES_MAX]
  return `${points[Math.floor(random() * points.length)]}:${1 + Math.floor(random() * passes)}`
}

const isOver = (instance: Instance) => Promise.race([instance.ended.then(() => true), delay(0, false)])

test('whenever a process is killed, no mail is lost and none arrives twice', { timeout: TEST_MS_MAX }, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: `crash-${randomBytes(24).toString('hex')}`,
  }
  const { sql } = behindTheBack(database)
  const isAnyDue = async () => (await sql('select from message_queue where due_at <= now() limit 1')).length > 0
  let instance: Instance = await startInstance({ env })
  const call = async (method: string, path: string, json?: unknown) => {
    const answer = await send(method, `${instance.baseUrl}/api${path}`, {
      token: env.BOOTSTRAP_TOKEN,
      ...(json ? { json } : {}),
    })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  try {
    await call('POST', '/integrations', {
      ...{ name: 'relay', isDefault: true },
      config: { kind: 'smtp', host: '127.0.0.1', port: server.port, tls: 'none', from: 'news@sender.example' },
    })
    await call('POST', '/sending-domains', { domain: 'sender.example' })
    await sql('update sending_domain_keys set verified_at = now()')
    // The long form outlasts the time after which a domain is looked at again, and this one is in no DNS.
    await sql(`update sending_domains set next_check_at = 'infinity'`)
    await sql('update integrations set enabled = false')
    const ids = new Map<string, string>()
    for (let from = 0; from < MESSAGES; from += BATCH) {
      const emails = Array.from({ length: BATCH }, (_, n) => ({
        ...{ destination: `p${from + n}@example.com`, subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' },
      }))
      const { results } = await call('POST', '/emails/batch', { emails })
      for (const { id } of results) ids.set(id, '')
    }
    assert.equal(ids.size, MESSAGES)
    await instance.kill()
    await sql('update integrations set enabled = true')
    await sql(`update message_queue set due_at = now() + interval '1 day'`)

    let diedAtPoint = 0
    for (let kill = 0; kill < KILLS; kill++) {
      // Jobs that the dead worked on are given back at once, as they are within seconds, and those that wait are due.
      await sql(`update jobs.job_common set state = 'created', heartbeat_on = null, start_after = now(), created_on = now()
        where state <= 'active' and data ->> 'kind' = 'send_messages'`)
      await sql(
        `update message_queue set due_at = now() where due_at < now() + interval '6 hours' or message_id in (
          select message_id from message_queue where due_at > now() + interval '6 hours' order by message_id limit $1)`,
        [SHARE],
      )
      const arrivals = kill > 0 && random() < 0.4 ? 1 + Math.floor(random() * SHARE) : undefined
      const point = arrivals ? {} : { POSTROOM_CRASH_POINT: kill > 0 ? anyPoint() : SURE_POINT }
      const started = await startInstance({ env: { ...env, ...point } }).catch((error: Error) => {
        assert.match(String(error.cause), /SIGKILL/, error.message)
      })
      if (started) {
        instance = started
        const untilMs = performance.now() + ARMED_MS_MAX
        // While others are on their way.
        const enough = server.arrivals(arrivals ?? MESSAGES).then(() => true)
        const over = Promise.race([instance.ended.then(() => true), enough])
        while (!(await Promise.race([over, delay(LOOK_EVERY_MS, false)])))
          if (performance.now() > untilMs || !(await isAnyDue())) break
      }
      if (!started || (await isOver(instance))) diedAtPoint++
      await instance.kill()
    }
    instance = await startInstance({ env })
    const pending = async () =>
      Number((await sql<{ n: string }>(`select count(*) as n from messages where state = 'pending'`))[0]!.n)
    await eventually(
      'every message is settled',
      async () => {
        await sql(`update jobs.job_common set start_after = now(), created_on = now() where state < 'active'`)
        await delay(200)
        return (await pending()) === 0
      },
      SETTLE_MS_MAX,
    )

    const ledger = await sql<{ id: string; state: string; destination: string }>(
      'select id, state, destination from messages',
    )
    assert.deepEqual([ledger.length, (await sql('select from message_queue')).length], [MESSAGES, 0])
    const copies = server.copies()
    const states = Map.groupBy(ledger, ({ state }) => state)
    for (const { id, state, destination } of ledger) {
      const [first, ...more] = copies.get(destination) ?? []
      assert.deepEqual(more, [], `${destination} twice`)
      if (state === 'accepted') assert.ok(first, `${destination} is said to be sent`)
      else assert.equal(state, 'uncertain', `${id} ${destination}`)
    }
    const uncertain = states.get('uncertain')?.length ?? 0
    const arrived = ledger.filter(({ state, destination }) => state === 'uncertain' && copies.has(destination)).length
    t.diagnostic(
      `${MESSAGES} messages, ${KILLS} kills (${diedAtPoint} at a named point): ${copies.size} arrived, ${uncertain} uncertain (${arrived} of them arrived), 0 twice, 0 lost`,
    )
    assert.ok(diedAtPoint > 0, 'nobody died at a named point')
    assert.ok(uncertain > 0, 'no kill met a message on its way: this run proves nothing')
    assert.ok(uncertain <= KILLS * IN_FLIGHT_MAX)
    const sent = await sql<{ n: string }>(`select count(*) as n from outbox where type = 'email.sent'`)
    assert.equal(Number(sent[0]!.n), states.get('accepted')?.length ?? 0)
  } finally {
    await instance.stop()
  }
})
