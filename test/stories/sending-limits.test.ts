import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Arrival, type ArrivalSink, fullestSecond, startArrivalSink } from '../support/arrival-sink.ts'
import { type Answer, send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom, untilUp } from '../support/postroom-process.ts'
import { behindTheBack } from '../support/tested-instance.ts'

/*
 * A fleet of one `web` process and several workers, a broadcast through an integration with a limit, single mails beside
 * it, and a mail server that notes when each was whole.
 */

const WORKERS = 3
const PER_SECOND = Number(process.env.LIMITS_PER_SECOND ?? 50)
const RECIPIENTS = Number(process.env.LIMITS_RECIPIENTS ?? 350)
const SINGLES = 3
/** For any machine: that they pass the broadcast shows in its being under way when they have come. */
const SINGLE_WITHIN_MS = 30_000
const SENT_WITHIN_MS = 60_000 + (RECIPIENTS / PER_SECOND) * 1_000

let database: TestDatabase
let sink: ArrivalSink
let web: Instance
let workers: PostroomProcess[] = []

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  database = await createTestDatabase().finally(() => clearInterval(stay))
  sink = await startArrivalSink()
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'error' }
  web = await startInstance({ env: { ...env, ROLE: 'web' } })
  workers = Array.from({ length: WORKERS }, () => spawnPostroom(['start'], { env: { ...env, ROLE: 'worker' } }))
  await Promise.all(workers.map(untilUp))
})
after(async () => {
  await Promise.all([web?.stop(), ...workers.map((worker) => worker.end())])
  await sink.close()
  await database.drop()
})

async function call(method: string, path: string, json?: object): Promise<Answer> {
  const answer = await send(method, `${web.baseUrl}/api${path}`, { token: web.token, ...(json ? { json } : {}) })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer
}

/** An integration with the limit, its domain, the contacts and a broadcast to all of them. */
async function prepare(): Promise<{ integrationId: string; broadcastId: string }> {
  const { sql } = behindTheBack(database)
  const from = 'news@sender.example'
  const config = { kind: 'smtp', host: '127.0.0.1', port: sink.port, tls: 'none', from }
  const integration = await call('POST', '/integrations', {
    ...{ name: 'sink', config, isDefault: true, maxPerSecond: PER_SECOND },
  })
  await call('POST', '/sending-domains', { domain: 'sender.example' })
  await sql('update sending_domain_keys set verified_at = now()')
  await sql(
    `insert into contacts (workspace_id, email) select 1, 'p' || n || '@many.example' from generate_series(1, $1::int) n`,
    [RECIPIENTS],
  )
  const broadcast = await call('POST', '/broadcasts', {
    name: 'Many',
    subject: 'Hello',
    body: '<p>Hello. <a href="{{ unsubscribe_url }}">Out</a></p>',
  })
  return { integrationId: integration.json.id, broadcastId: broadcast.json.id }
}

test('a fleet sends at the limit and not above it, single mails pass the broadcast, and the count is right', async () => {
  const { integrationId, broadcastId } = await prepare()
  await call('POST', `/broadcasts/${broadcastId}/send`)
  const arrivals: (Arrival & { domain: string })[] = []
  const look = async () => {
    for (const [domain, seen] of Object.entries(await sink.take())) {
      arrivals.push(...seen.map((arrival) => ({ ...arrival, domain })))
    }
    return arrivals
  }
  const until = async (what: string, isSo: (seen: typeof arrivals) => boolean, withinMs: number) => {
    for (const startedMs = performance.now(); !isSo(await look()); await sleep(20)) {
      assert.ok(performance.now() - startedMs < withinMs, `${what}: ${arrivals.length} arrived`)
    }
  }
  await until('the broadcast is under way', (seen) => seen.length > PER_SECOND, SENT_WITHIN_MS)
  for (let n = 1; n <= SINGLES; n++) {
    const askedMs = performance.now()
    await call('POST', '/emails', { destination: 'one@single.example', subject: 'Your receipt', text: 'Thank you.' })
    await until(
      'a single mail',
      (seen) => seen.filter(({ domain }) => domain === 'single.example').length >= n,
      SINGLE_WITHIN_MS,
    )
    console.log(`a single mail was there after ${Math.round(performance.now() - askedMs)} ms`)
  }
  assert.ok(arrivals.length < RECIPIENTS, 'the broadcast was under way all the time')
  await until('all', (seen) => seen.length === RECIPIENTS + SINGLES, SENT_WITHIN_MS)
  const inOrder = arrivals.sort((a, b) => a.by - b.by)
  const most = fullestSecond(inOrder)
  const used = (arrivals.length - 1) / ((inOrder.at(-1)!.by - inOrder[0]!.by) / 1_000) / PER_SECOND
  // How much is used is the machine's matter here: pacing/limits.test.ts holds the pacer to 95 %.
  console.log(`${PER_SECOND}/s: ${(used * 100).toFixed(1)} % used, ${most} in the fullest second`)
  assert.ok(most <= PER_SECOND, `${most} in a second`)
  const sent = async () => (await call('GET', `/integrations/${integrationId}`)).json.sendLimit.sentLast24h
  while ((await call('GET', `/broadcasts/${broadcastId}/report`)).json.status !== 'sent') await sleep(50)
  assert.equal(await sent(), RECIPIENTS + SINGLES)
})
