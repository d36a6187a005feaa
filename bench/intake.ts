import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { Pool } from 'undici'
import { openEmbeddedPostgres } from '../server/platform/postgres/embedded-postgres.ts'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { silentLog } from '../test/support/silent-log.ts'
import { type Measured, measure, percentilesText, ratioLine } from './measure.ts'
import { startNoop } from './noop.ts'

const BATCH = 100
const BATCH_CONNECTIONS = 8
const SINGLE_CONNECTIONS = 64
const WINDOW_MS = 5_000
const WARM_UP_MS = 2_000
const COPY_ROWS = 400_000
const GOAL_COPY = 0.5
const GOAL_NOOP = 0.5

/** durable events/s through POST /events against COPY into the same table, and single POSTs against a no-op POST */
export async function run(): Promise<void> {
  // Only intake: consumers would share the two processors. `bench -- pipeline` measures both together.
  const instance = await startInstance({ env: { ROLE: 'web' } })
  const noop = await startNoop()
  try {
    const batches = await post(instance, { events: BATCH, connections: BATCH_CONNECTIONS })
    const copied = await copyRows(instance)
    const singles = await post(instance, { events: 1, connections: SINGLE_CONNECTIONS })
    const noops = await post(noop, { events: 1, connections: SINGLE_CONNECTIONS })
    console.log(
      ratioLine('intake, batches of 100', rate(batches, 'events'), {
        name: 'COPY into the same table',
        goal: GOAL_COPY,
        ...{ perSecond: copied, unit: 'rows' },
      }),
    )
    console.log(`  per request: ${percentilesText(batches.callMs)}`)
    console.log(
      ratioLine('intake, single events', rate(singles, 'POSTs'), {
        name: 'a no-op POST with the same schema and authentication',
        goal: GOAL_NOOP,
        ...rate(noops, 'POSTs'),
      }),
    )
    console.log(`  per request: ${percentilesText(singles.callMs)}`)
  } finally {
    await noop.stop()
    await instance.stop()
  }
}

const rate = (measured: Measured, unit: string) => ({ perSecond: measured.perSecond, unit })

/** An event such as a shop's tracker sends. */
export function sampleEvent(n: number) {
  return {
    subjectId: `user-${n % 50_000}`,
    action: 'product.viewed',
    properties: {
      product: `sku-${n % 1_000}`,
      price: 19.99,
      currency: 'EUR',
      referrer: 'https://example.com/newsletter',
    },
  }
}

/** POSTs batches for a while; counts events. */
export async function post(
  target: { baseUrl: string; token: string },
  load: { events: number; connections: number; durationMs?: number; warmUpMs?: number },
): Promise<Measured> {
  const pool = new Pool(target.baseUrl, { connections: load.connections, pipelining: 1 })
  // Made beforehand, so that the client's own work stays small.
  const bodies = Array.from({ length: 50 }, (_, k) =>
    Buffer.from(
      JSON.stringify({ events: Array.from({ length: load.events }, (_, n) => sampleEvent(k * load.events + n)) }),
    ),
  )
  const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' }
  let sent = 0
  const work = async () => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/events',
      headers,
      body: bodies[sent++ % bodies.length]!,
    })
    await body.dump()
    if (statusCode !== 204) throw new Error(`POST /api/events answered ${statusCode}`)
    return load.events
  }
  try {
    const window = { durationMs: load.durationMs ?? WINDOW_MS, warmUpMs: load.warmUpMs ?? WARM_UP_MS }
    return await measure(work, { concurrency: load.connections, ...window })
  } finally {
    await pool.destroy()
  }
}

/** Rows a second of one COPY of the same events into the outbox, over one connection. */
async function copyRows(instance: Instance): Promise<number> {
  const postgres = await openEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog })
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    const lines = function* () {
      for (let n = 0; n < COPY_ROWS; n += 1_000) {
        yield Array.from({ length: 1_000 }, (_, k) => {
          const { subjectId, action, properties } = sampleEvent(n + k)
          const row = [
            1,
            'event.recorded',
            action,
            subjectId,
            subjectId,
            JSON.stringify(properties),
            '2026-11-21T00:00:00Z',
          ]
          return `${row.join('\t')}\n`
        }).join('')
      }
    }
    const chunks = [...lines()]
    const columns = 'workspace_id, type, name, subject, subject_id, data, occurred_at'
    const startedMs = performance.now()
    await pipeline(Readable.from(chunks), client.query(copyFrom(`copy outbox (${columns}) from stdin`)))
    return (COPY_ROWS * 1_000) / (performance.now() - startedMs)
  } finally {
    await client.end()
  }
}
