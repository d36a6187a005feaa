import { parseArgs } from 'node:util'
import type pg from 'pg'
import { Pool } from 'undici'
import { oldestWriter, outboxLag } from '../server/platform/outbox/lag.ts'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { fillErasures, type Size } from './fill-erasures.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, percentilesOf, percentilesText } from './measure.ts'

/** No transaction of background work holds the events of all workspaces longer. */
const GOAL_HELD_SECONDS = 1
const REQUESTS_AT_ONCE = 4
const EVENT_EVERY_MS = 100
const SAMPLE_EVERY_MS = 20
const DEADLINE_MS = 600_000

const MEANWHILE = { events: [{ action: 'meanwhile', subjectId: 'somebody' }] }

type Samples = { writerSeconds: number; lagSeconds: number; held: string }

/**
 * 1,000 people erased at once from a workspace of 1,000,000 client ids and 1,000,000 deliveries of 500,000 events, while
 * others record events. `--people`, `--events`, `--client-ids`, `--endpoints` change its size.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      people: { type: 'string', default: '1000' },
      events: { type: 'string', default: '500000' },
      'client-ids': { type: 'string', default: '1000000' },
      endpoints: { type: 'string', default: '2' },
    },
  })
  const [people, events, endpoints] = [Number(values.people), Number(values.events), Number(values.endpoints)]
  const size: Size = { people, events, clientIds: Number(values['client-ids']), endpoints }
  const instance = await startInstance({ env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } })
  const api = new Pool(instance.baseUrl, { connections: REQUESTS_AT_ONCE + 1, pipelining: 1 })
  try {
    await withDatabase(instance, async (client) => {
      const filledMs = performance.now()
      await fillErasures(client, size)
      console.log(`filled in ${secondsSince(filledMs)} s: ${JSON.stringify(size)}`)
      await withDatabase(instance, (watcher) => eraseAll({ instance, api, client, watcher }, size))
    })
  } finally {
    await api.destroy()
    await instance.stop()
  }
}

type Bench = { instance: Instance; api: Pool; client: pg.Client; watcher: pg.Client }

async function eraseAll(bench: Bench, size: Size): Promise<void> {
  const { client, watcher } = bench
  const over = new AbortController()
  const samples: Samples = { writerSeconds: 0, lagSeconds: 0, held: 'nobody' }
  const watching = watch(watcher, samples, over.signal)
  const recording = recordMeanwhile(bench, over.signal)
  const beganMs = performance.now()
  const requestsMs = await deletePeople(bench, size.people)
  console.log(`requests: ${percentilesText(percentilesOf(requestsMs))}, all after ${secondsSince(beganMs)} s`)
  const sweptMs = performance.now()
  await until(
    'the erasures to be done',
    async () => (await countOf(client, `select count(*) from erasures where state <> 'done'`)) === 0,
    DEADLINE_MS,
  )
  console.log(`swept ${secondsSince(sweptMs)} s after the last request`)
  over.abort()
  await watching
  console.log(`events meanwhile: ${await recording}`)
  const held = limitText(samples.writerSeconds, GOAL_HELD_SECONDS, 's')
  console.log(`longest writing transaction: ${held} (${samples.held})`)
  console.log(`largest lag of a consumer group: ${limitText(samples.lagSeconds, GOAL_HELD_SECONDS, 's')}`)
  const left = await countOf(client, `select count(*) from events where subject like 'person-%'`)
  const ids = await countOf(client, `select count(*) from event_client_ids where client_id like 'person-%'`)
  const deliveries = await countOf(client, 'select count(*) from deliveries')
  console.log(`left of the people: ${left} events, ${ids} client ids; ${deliveries} deliveries of others`)
  if (left + ids > 0) throw new Error('people are left')
}

async function deletePeople({ api, client, instance }: Bench, people: number): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from contacts where subject_id like 'person-%' order by id limit $1`,
    [people],
  )
  const ids = rows.map(({ id }) => id)
  const tookMs: number[] = []
  const lane = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const beganMs = performance.now()
      // As a client does, that asks again where the machine had no time.
      while ((await call({ api, instance }, { method: 'DELETE', path: `/api/contacts/${id}` })) === 503)
        await pause(EVENT_EVERY_MS)
      tookMs.push(performance.now() - beganMs)
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, lane))
  return tookMs
}

/** Records an event now and then, so that there is something that a transaction can hold back. Answers how many were put off. */
async function recordMeanwhile(bench: Bench, over: AbortSignal): Promise<string> {
  let [recorded, putOff] = [0, 0]
  while (!over.aborted) {
    if ((await call(bench, { method: 'POST', path: '/api/events', body: MEANWHILE })) === 503) putOff++
    else recorded++
    await pause(EVENT_EVERY_MS)
  }
  return `${recorded} recorded, ${putOff} put off with 503`
}

async function watch(watcher: pg.Client, samples: Samples, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const [writer, lags] = [await oldestWriter(watcher), await outboxLag(watcher)]
    samples.lagSeconds = Math.max(samples.lagSeconds, ...lags.map(({ seconds }) => seconds))
    if ((writer?.seconds ?? 0) > samples.writerSeconds) {
      samples.writerSeconds = writer!.seconds!
      samples.held = writer!.application
    }
    await pause(SAMPLE_EVERY_MS)
  }
}

async function call(
  { api, instance }: Pick<Bench, 'api' | 'instance'>,
  { method, path, body }: { method: 'POST' | 'DELETE'; path: string; body?: object },
): Promise<number> {
  const headers = {
    authorization: `Bearer ${instance.token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  const answer = await api.request({ method, path, headers, body: body ? JSON.stringify(body) : null })
  const text = await answer.body.text()
  const isDone = answer.statusCode < 300 || answer.statusCode === 503
  if (!isDone) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
  return answer.statusCode
}

async function countOf(client: pg.Client, text: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text)
  return Number(rows[0]!.count)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const secondsSince = (ms: number) => ((performance.now() - ms) / 1_000).toFixed(1)
