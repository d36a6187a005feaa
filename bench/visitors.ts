import { randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { tableRows } from '../test/support/table-rows.ts'
import { withDatabase } from './instance-database.ts'

const VISITORS = 1_000_000
const BATCH = 100
const CONNECTIONS = 8
/** So many of them say that they agree, too. */
const CONSENTS = 10_000
/** So many of them are named at the end. */
const NAMED = 10
const STORED_WITHIN_MS = 1_800_000
const BYTES_PER_MB = 1_000_000
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': CHROME, origin: 'https://shop.example' }

/** rows that a million visitor ids leave beside their events, goal none, and memory of the service meanwhile: [visitors] */
export async function run([given]: readonly string[] = []): Promise<void> {
  const visitors = Number(given ?? VISITORS)
  const instance = await startInstance({
    env: { RATE_LIMIT_COLLECT: '0', RATE_LIMIT_COLLECT_IP: '0', RATE_LIMIT_IDENTIFY: '0' },
  })
  try {
    const key = await keyOf(instance)
    const before = await rowsOf(instance)
    const memoryBefore = await instance.rssBytes()
    const startedMs = performance.now()
    await visit(instance, key, visitors)
    const seconds = (performance.now() - startedMs) / 1_000
    console.log(`${visitors} visitors, an event each, in ${Math.round(seconds)} s: ${Math.round(visitors / seconds)}/s`)
    await agree(instance, key, Math.min(CONSENTS, visitors))
    const stored = async () => ((await rowsOf(instance)).get('events') ?? 0) >= visitors
    await until('every event in its table', stored, STORED_WITHIN_MS)
    const after = await rowsOf(instance)
    for (const [table, rows] of after) {
      const more = rows - (before.get(table) ?? 0)
      if (more !== 0) console.log(`  ${table}: ${more} rows more`)
    }
    const own = ['visitors', 'identity_claims', 'identity_statements', 'contacts'].map((table) => after.get(table) ?? 0)
    console.log(`rows of their own: ${own.join(', ')} of visitors, claims, statements, contacts; goal 0`)
    const megabytes = [memoryBefore, await instance.rssBytes()].map((bytes) => Math.round(bytes / BYTES_PER_MB))
    console.log(`memory of the service: ${megabytes[0]} MB before, ${megabytes[1]} MB after`)
    await name(instance, key)
    const bound = async () => (await rowsOf(instance)).get('visitors') === NAMED
    await until('those that were named', bound, STORED_WITHIN_MS)
    console.log(`${NAMED} of them named by their pages: ${NAMED} rows of visitors`)
    if (own.some((rows) => rows > 0)) process.exitCode = 1
  } finally {
    await instance.stop()
  }
}

const visitorOf = (n: number) => `${SALT}${String(n).padStart(16, '0')}`
const SALT = randomBytes(8).toString('hex')

async function keyOf({ baseUrl, token }: Instance): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/trackers`, { headers: { authorization: `Bearer ${token}` } })
  const { items } = (await answer.json()) as { items: { key: string }[] }
  return items[0]!.key
}

/** Sends an event of each visitor. */
const visit = (instance: Instance, key: string, visitors: number) =>
  each(instance, '/collect/events', Math.ceil(visitors / BATCH), (n) => {
    const sentAt = new Date().toISOString()
    const from = n * BATCH
    const events = Array.from({ length: Math.min(BATCH, visitors - from) }, (_, at) => {
      return { id: 'first', action: 'page.view', visitorId: visitorOf(from + at), occurredAt: sentAt }
    })
    return { key, sentAt, consent: 'granted', events }
  })

const agree = (instance: Instance, key: string, visitors: number) =>
  each(instance, '/collect/consent', visitors, (n) => ({ key, visitorId: visitorOf(n), state: 'granted' }))

const name = (instance: Instance, key: string) =>
  each(instance, '/collect/identify', NAMED, (n) => {
    return { key, visitorId: visitorOf(n), consent: 'granted', email: `named-${n}@example.com` }
  })

/** POSTs so many bodies, over a few connections. */
async function each(instance: Instance, path: string, count: number, body: (n: number) => object): Promise<void> {
  const pool = new Pool(instance.baseUrl, { connections: CONNECTIONS, pipelining: 1 })
  let next = 0
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const request = { method: 'POST', path, headers: HEADERS, body: JSON.stringify(body(n)) } as const
      const { statusCode, body: answer } = await pool.request(request)
      await answer.dump()
      if (statusCode >= 300) throw new Error(`POST ${path} answered ${statusCode}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
  } finally {
    await pool.destroy()
  }
}

const rowsOf = (instance: Instance): Promise<Map<string, number>> =>
  withDatabase(instance, (client) => tableRows(async (text) => (await client.query(text)).rows))
