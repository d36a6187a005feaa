import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { withDatabase } from './instance-database.ts'
import { sampleEvent } from './intake.ts'
import { type Measured, measure, percentilesText, ratioLine } from './measure.ts'

const BATCH = 50
const BATCH_CONNECTIONS = 8
const SINGLE_CONNECTIONS = 64
/** Windows of each by turns, so that whatever else the machine does meets all of them alike. */
const ROUNDS = 4
const WINDOW_MS = 2_000
const WARM_UP_MS = 500
const GOAL = 0.8
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

type Load = { events: number; connections: number }
type Kind = (typeof KINDS)[number]

/** durable events/s of browsers through POST /collect/events against those of servers through POST /api/events */
export async function run(): Promise<void> {
  const instance = await startInstance({
    env: { ROLE: 'web', RATE_LIMIT_API: '0', RATE_LIMIT_COLLECT: '0', RATE_LIMIT_COLLECT_IP: '0' },
  })
  try {
    const key = await keyOf(instance)
    for (const load of [
      { events: 1, connections: SINGLE_CONNECTIONS },
      { events: BATCH, connections: BATCH_CONNECTIONS },
    ]) {
      const [browsers, servers, unnamed] = await byTurns((kind) => drive(instance, { ...load, kind, key }))
      const name = 'POST /api/events, as repeatable'
      console.log(
        ratioLine(`collect, ${load.events} to a request`, rate(browsers), { name, goal: GOAL, ...rate(servers) }),
      )
      console.log(`  per request: ${percentilesText(browsers.callMs)}; of a server: ${percentilesText(servers.callMs)}`)
      console.log(`  without ids, which make repeats harmless, a server: ${Math.round(unnamed.perSecond)} events/s`)
    }
    const rows = await withDatabase(instance, async (client) => {
      const { rows } = await client.query<{ events: string; visitors: string }>(
        `select (select count(distinct visitor_id) from outbox) as events, (select count(*) from visitors) as visitors`,
      )
      return rows[0]!
    })
    console.log(`visitors: ${rows.events} in what was recorded, ${rows.visitors} rows of their own, goal 0`)
  } finally {
    await instance.stop()
  }
}

const KINDS = ['browser', 'server', 'server without ids'] as const

/** The middle round of each kind, by its rate. */
async function byTurns(measured: (kind: Kind) => Promise<Measured>): Promise<[Measured, Measured, Measured]> {
  const rounds: Measured[][] = KINDS.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, kind] of KINDS.entries()) rounds[at]!.push(await measured(kind))
  }
  return rounds.map((all) => all.sort((a, b) => a.perSecond - b.perSecond)[ROUNDS >> 1]) as [
    Measured,
    Measured,
    Measured,
  ]
}

const rate = ({ perSecond }: Measured) => ({ perSecond, unit: 'events' })

async function keyOf({ baseUrl, token }: Instance): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/trackers`, { headers: { authorization: `Bearer ${token}` } })
  const { items } = (await answer.json()) as { items: { key: string }[] }
  return items[0]!.key
}

/** POSTs batches of events, each under an id of its own; counts events. */
async function drive({ baseUrl, token }: Instance, load: Load & { kind: Kind; key: string }): Promise<Measured> {
  const pool = new Pool(baseUrl, { connections: load.connections, pipelining: 1 })
  const isBrowser = load.kind === 'browser'
  const path = isBrowser ? '/collect/events' : '/api/events'
  const headers = isBrowser
    ? { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': CHROME, origin: 'https://shop.example' }
    : { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = bodiesOf(load)
  const work = async () => {
    const { statusCode, body: answer } = await pool.request({ method: 'POST', path, headers, body: body() })
    await answer.dump()
    if (statusCode !== 204) throw new Error(`POST ${path} answered ${statusCode}`)
    return load.events
  }
  try {
    return await measure(work, { concurrency: load.connections, durationMs: WINDOW_MS, warmUpMs: WARM_UP_MS })
  } finally {
    await pool.destroy()
  }
}

/** Makes bodies. What is the same in each is made beforehand, so that the client's own work stays small. */
function bodiesOf({ events, kind, key }: Load & { kind: Kind; key: string }): () => string {
  const run = randomBytes(8).toString('hex')
  const { subjectId, ...event } = sampleEvent(7)
  const own = kind === 'browser' ? { occurredAt: new Date().toISOString() } : { subjectId }
  const tail = JSON.stringify({ ...event, ...own }).slice(1)
  let made = 0
  const id = () => (kind === 'server without ids' ? '{' : `{"id":"${run}-${made++}",`)
  return () => {
    // Each request is of a visitor of its own, as an attack would have it.
    const visitorId = `${run}${String(made).padStart(16, '0')}`
    const head = `"key":"${key}","sentAt":"${new Date().toISOString()}","consent":"granted","visitorId":"${visitorId}",`
    const items = Array.from({ length: events }, () => `${id()}${tail}`)
    return `{${kind === 'browser' ? head : ''}"events":[${items}]}`
  }
}
