import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Pool } from 'undici'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { withDatabase } from './instance-database.ts'
import { sampleEvent } from './intake.ts'
import { limitText, measure, percentilesOf, percentilesText, ratioLine } from './measure.ts'

const DELIVERIES = 50_000
const WARM_UP_DELIVERIES = 5_000
const EVENTS_PER_REQUEST = 500
/** As many requests at once as the service sends to one endpoint. */
const BARE_CONNECTIONS = 64
const BARE_MS = 3_000
const GOAL_BARE = 0.35
export const PACE_PER_SECOND = 500
const PACE_MS = 20_000
const GOAL_P50_MS = 20
export const GOAL_P99_MS = 200
const DEADLINE_MS = 120_000

export type Bench = { instance: Instance; receiver: CountingReceiver; client: pg.Client; api: Pool }

/** deliveries/s of one process against bare POSTs to the same receiver, and the time from event to delivery */
export async function run(): Promise<void> {
  const receiver = await startCountingReceiver()
  const instance = await startInstance({ env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } })
  const api = new Pool(instance.baseUrl, { connections: 32, pipelining: 1 })
  try {
    await withDatabase(instance, async (client) => {
      const bench = { instance, receiver, client, api }
      await deliver(bench, { endpoints: 1, deliveries: WARM_UP_DELIVERIES })
      for (const endpoints of [1, 8]) {
        const before = await barePosts(receiver)
        const perSecond = await deliver(bench, { endpoints, deliveries: DELIVERIES })
        const after = await barePosts(receiver)
        const bare = { perSecond: (before + after) / 2, unit: 'POSTs' }
        const name = endpoints === 1 ? 'deliveries, 1 endpoint' : `deliveries, ${endpoints} endpoints`
        console.log(
          ratioLine(name, { perSecond, unit: 'deliveries' }, { name: 'bare POSTs', goal: GOAL_BARE, ...bare }),
        )
      }
      const latencies = percentilesOf(await latenciesAtPace(bench, PACE_MS))
      console.log(`event to delivery at ${PACE_PER_SECOND} events/s: ${percentilesText(latencies)}`)
      console.log(
        `  p50 ${limitText(latencies.p50, GOAL_P50_MS, 'ms')}, p99 ${limitText(latencies.p99, GOAL_P99_MS, 'ms')}`,
      )
    })
  } finally {
    await api.destroy()
    await instance.stop()
    await receiver.close()
  }
}

/**
 * Deliveries a second, from the first to arrive until all are recorded: collected by paused endpoints, of which each wants
 * one sort of event, and released together.
 */
async function deliver(bench: Bench, load: { endpoints: number; deliveries: number }): Promise<number> {
  const { receiver, client } = bench
  const sorts = Array.from({ length: load.endpoints }, (_, n) => `bench.sort${n}`)
  const endpoints = await Promise.all(
    sorts.map((sort) => createEndpoint(bench, { eventTypes: [sort], enabled: false })),
  )
  const events = Array.from({ length: load.deliveries }, (_, n) => ({
    ...sampleEvent(n),
    action: sorts[n % sorts.length]!,
  }))
  for (let n = 0; n < events.length; n += EVENTS_PER_REQUEST) {
    await call(bench, 'POST', '/api/events', { events: events.slice(n, n + EVENTS_PER_REQUEST) })
  }
  const waiting = () => countOf(client, 'select count(*) from delivery_queue')
  await until('the events to be dispatched', async () => (await waiting()) === load.deliveries, DEADLINE_MS)
  await receiver.reset()
  const attemptsBefore = await countOf(client, 'select count(*) from delivery_attempts')
  await Promise.all(endpoints.map((id) => call(bench, 'PATCH', `/api/webhooks/${id}`, { enabled: true })))
  const { firstAtMs } = await receiver.receive(load.deliveries, DEADLINE_MS)
  await until('the attempts to be recorded', async () => (await waiting()) === 0, DEADLINE_MS)
  const elapsedMs = performance.timeOrigin + performance.now() - firstAtMs
  const attempts = (await countOf(client, 'select count(*) from delivery_attempts')) - attemptsBefore
  const { count } = await receiver.receive(load.deliveries, 0)
  if (attempts !== load.deliveries || count !== load.deliveries)
    throw new Error(`${load.deliveries} deliveries, but ${count} arrived and ${attempts} attempts are recorded`)
  await Promise.all(endpoints.map((id) => call(bench, 'DELETE', `/api/webhooks/${id}`)))
  return (load.deliveries * 1_000) / elapsedMs
}

/** Milliseconds from the moment each event was due to be sent to the arrival of its delivery, at a steady pace. */
export async function latenciesAtPace(bench: Bench, paceMs: number): Promise<number[]> {
  const { receiver } = bench
  const endpoint = await createEndpoint(bench, { eventTypes: [], enabled: true })
  await receiver.reset()
  const total = (PACE_PER_SECOND * paceMs) / 1_000
  const startAtMs = performance.timeOrigin + performance.now()
  const requests: Promise<unknown>[] = []
  while (requests.length < total) {
    const sentAtMs = startAtMs + (requests.length * 1_000) / PACE_PER_SECOND
    const earlyMs = sentAtMs - (performance.timeOrigin + performance.now())
    if (earlyMs > 0) await sleep(earlyMs)
    const event = sampleEvent(requests.length)
    const events = [{ ...event, properties: { ...event.properties, sentAtMs } }]
    requests.push(call(bench, 'POST', '/api/events', { events }))
  }
  await Promise.all(requests)
  const { latenciesMs } = await receiver.receive(total, DEADLINE_MS)
  await call(bench, 'DELETE', `/api/webhooks/${endpoint}`)
  return latenciesMs
}

/** POSTs a second of the same client to the same receiver, with a delivery's headers and size. */
async function barePosts(receiver: CountingReceiver): Promise<number> {
  const { origin, pathname } = new URL(receiver.url)
  const pool = new Pool(origin, { connections: BARE_CONNECTIONS, pipelining: 1 })
  const body = Buffer.from(
    JSON.stringify({ id: '1', type: 'bench.sort0', data: { ...sampleEvent(1), more: 'x'.repeat(200) } }),
  )
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'postroom-bench',
    'webhook-id': 'dlv_1',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    'x-service-event': 'bench.sort0',
  }
  const post = async () => {
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body })
    await answer.body.dump()
    return 1
  }
  try {
    const window = { durationMs: BARE_MS, warmUpMs: BARE_MS / 4 }
    return (await measure(post, { concurrency: BARE_CONNECTIONS, ...window })).perSecond
  } finally {
    await pool.destroy()
  }
}

async function createEndpoint(
  bench: Bench,
  endpoint: { eventTypes: readonly string[]; enabled: boolean },
): Promise<string> {
  const { id } = (await call(bench, 'POST', '/api/webhooks', { url: bench.receiver.url, ...endpoint })) as {
    id: string
  }
  return id
}

async function call({ api, instance }: Bench, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${instance.token}`, 'content-type': 'application/json' }
  const answer = await api.request({
    method: method as 'POST',
    path,
    headers,
    body: body ? JSON.stringify(body) : null,
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

async function countOf(client: pg.Client, text: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text)
  return Number(rows[0]?.count)
}
