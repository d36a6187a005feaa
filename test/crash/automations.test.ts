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

/** The long form, by hand: AUTOMATION_PEOPLE=50000 AUTOMATION_KILLS=200. */
const PEOPLE = Number(process.env.AUTOMATION_PEOPLE ?? 60)
const KILLS = Number(process.env.AUTOMATION_KILLS ?? 4)
const SHARE = Math.ceil(PEOPLE / KILLS)
/** Every moment between two commits of the reader and of turns. */
const POINTS = [
  ...['consumer_before_commit', 'consumer_after_commit', 'run_turn_begun', 'runs_before_commit', 'runs_after_commit'],
  ...['run_turn_claimed', 'run_turn_before_end', 'run_turn_ended'],
]
const PASSES_MAX = 6
/** Passed by every process that has something to do. */
const SURE_POINT = 'runs_before_commit:2'
const ARMED_MS_MAX = 4_000
const LOOK_EVERY_MS = 100
const SETTLE_MS_MAX = 60_000 + 20 * PEOPLE
const TEST_MS_MAX = 3 * 3_600_000

const seed = seedFrom('AUTOMATION_SEED')
const random = seededRandom(seed)
const database = await createTestDatabase()
const server = await startSendingServer({ answerMs: () => 0 })
after(async () => {
  await server.close()
  await database.drop()
})

const DEFINITION = {
  format: 1,
  enter: { on: [{ event: 'cart.updated' }] },
  exit: [{ event: 'left' }],
  start: 'w1',
  nodes: {
    w1: { type: 'wait', for: [{ event: 'order.paid', to: 't1' }], timeout: 'PT1S', late: 'm1' },
    m1: { type: 'email', subject: 'First', body: '<p>{{ unsubscribe_url }}</p>', to: 'd1' },
    d1: { type: 'delay', seconds: 1, to: 'm2' },
    m2: { type: 'email', subject: 'Second', body: '<p>{{ unsubscribe_url }}</p>', to: 'end' },
    t1: { type: 'tag', add: ['buyer'], to: 'end' },
  },
}

test('whenever a process is killed, nobody is lost, mailed twice or miscounted', {
  timeout: TEST_MS_MAX,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: `crash-${randomBytes(24).toString('hex')}`,
  }
  const { sql } = behindTheBack(database)
  let instance: Instance = await startInstance({ env })
  const call = async (method: string, path: string, json?: unknown) => {
    const options = { token: env.BOOTSTRAP_TOKEN, ...(json ? { json } : {}) }
    const answer = await send(method, `${instance.baseUrl}/api${path}`, options)
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
    await sql(`update sending_domains set next_check_at = 'infinity'`)
    // What is being handed over when a process dies is uncertain, which is another test's.
    await sql('update integrations set enabled = false')
    const emails = Array.from({ length: PEOPLE }, (_, n) => `p${n}@example.com`)
    for (let from = 0; from < PEOPLE; from += 1_000) {
      await call('POST', '/contacts/batch', { contacts: emails.slice(from, from + 1_000).map((email) => ({ email })) })
    }
    const { id } = await call('POST', '/automations', { name: 'Carts', definition: DEFINITION })
    await call('POST', `/automations/${id}/activate`)
    await instance.kill()

    /** Told until it is answered, by whichever process lives: client ids make a repeat harmless. */
    const waiting: object[][] = []
    const tell = async () => {
      for (let batch = waiting[0]; batch; batch = waiting[0]) {
        const json = { events: batch }
        const told = await send('POST', `${instance.baseUrl}/api/events`, { token: env.BOOTSTRAP_TOKEN, json }).catch(
          () => undefined,
        )
        if (told?.status !== 204) return
        waiting.shift()
      }
    }
    const buyers = new Set<string>()
    const leavers = new Set<string>()
    let diedAtPoint = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const share = emails.slice(kill * SHARE, (kill + 1) * SHARE)
      waiting.push(share.map((email) => ({ id: `cart-${email}`, action: 'cart.updated', email })))
      const later: object[] = []
      for (const email of share) {
        const fate = random()
        if (fate < 0.3) {
          buyers.add(email)
          later.push({ id: `paid-${email}`, action: 'order.paid', email })
        } else if (fate < 0.4) {
          leavers.add(email)
          later.push({ id: `left-${email}`, action: 'left', email })
        }
      }
      if (later.length > 0) waiting.push(later)
      await sql(`update jobs.job_common set state = 'created', heartbeat_on = null, start_after = now(), created_on = now()
        where state = 'active'`)
      const any = `${POINTS[Math.floor(random() * POINTS.length)]}:${1 + Math.floor(random() * PASSES_MAX)}`
      const point = kill === 0 ? SURE_POINT : any
      const armed = kill === 0 || random() < 0.8
      const started = await startInstance({ env: { ...env, ...(armed ? { POSTROOM_CRASH_POINT: point } : {}) } }).catch(
        (error: Error) => {
          assert.match(String(error.cause), /SIGKILL/, error.message)
        },
      )
      if (started) {
        instance = started
        const untilMs = performance.now() + (armed ? ARMED_MS_MAX : random() * ARMED_MS_MAX)
        const over = instance.ended.then(() => true)
        while (!(await Promise.race([over, delay(LOOK_EVERY_MS, false)]))) {
          await tell()
          if (performance.now() > untilMs) break
        }
      }
      if (!started || (await Promise.race([instance.ended.then(() => true), delay(0, false)]))) diedAtPoint++
      await instance.kill()
    }
    await sql(`update jobs.job_common set state = 'created', heartbeat_on = null, start_after = now(), created_on = now()
      where state = 'active'`)
    instance = await startInstance({ env })
    const left = async () =>
      Number(
        (await sql<{ n: string }>('select (select count(*) from runs) + (select count(*) from run_queue) as n'))[0]!.n,
      )
    const ended = async () => Number((await sql<{ n: string }>('select count(*) as n from ended_runs'))[0]!.n)
    await eventually(
      'everybody is through',
      async () => {
        await tell()
        await delay(LOOK_EVERY_MS)
        return waiting.length === 0 && (await left()) === 0 && (await ended()) === PEOPLE
      },
      SETTLE_MS_MAX,
    )
    await sql('update integrations set enabled = true')
    const pending = async () => (await sql(`select from messages where state = 'pending'`)).length
    await eventually('every mail is settled', async () => (await pending()) === 0, SETTLE_MS_MAX)

    // The trace says where each went; the ledger and the mailbox have a mail for each visit of a mail, and no other.
    const ends = await sql<{ email: string; state: string; steps: string[]; mails: string[] }>(
      `select c.email, e.state,
         array(select s.node || ':' || s.way from run_steps s where s.run_id = e.id order by s.visit) as steps,
         array(select m.state from run_messages r join messages m on m.id = r.message_id where r.run_id = e.id order by r.visit)
           as mails
       from ended_runs e join contacts c on c.id = e.contact_id`,
    )
    assert.equal(ends.length, PEOPLE)
    const copies = server.copies()
    for (const { email, state, steps, mails } of ends) {
      const story = `${email} ${state} ${steps} ${mails}`
      const planned = steps.filter((step) => step.startsWith('m') && step.endsWith(':to')).length
      assert.equal(mails.length, planned, story)
      assert.equal(copies.get(email)?.length ?? 0, mails.filter((one) => one === 'accepted').length, story)
      if (state === 'completed') {
        const path = steps.includes('w1:0')
          ? [':entered', 'w1:0', 't1:to']
          : [':entered', 'w1:late', 'm1:to', 'd1:to', 'm2:to']
        assert.deepEqual(steps, path, story)
        assert.ok(steps.includes('w1:late') || buyers.has(email), story)
        if (!steps.includes('w1:0')) assert.deepEqual(mails, ['accepted', 'accepted'], story)
      } else {
        assert.ok(leavers.has(email), story)
        assert.ok(!mails.includes('accepted'), story)
      }
    }
    const { json: counts } = await send('GET', `${instance.baseUrl}/api/automations/${id}/counts`, {
      token: env.BOOTSTRAP_TOKEN,
    })
    const leftBy = (node: string, way: string) => ends.filter(({ steps }) => steps.includes(`${node}:${way}`)).length
    assert.deepEqual([counts.entered, counts.inside], [PEOPLE, 0])
    for (const { node, entered, left: gone, ended: over, here, ways } of counts.nodes) {
      assert.equal(entered, gone + over + here)
      for (const { way, count } of ways) assert.equal(count, leftBy(node, way), `${node} ${way}`)
    }
    assert.ok(diedAtPoint > 0, 'nobody died at a named point')
    t.diagnostic(`${PEOPLE} people, ${KILLS} kills (${diedAtPoint} at a named point), ${buyers.size} bought`)
  } finally {
    await instance.stop()
  }
})
