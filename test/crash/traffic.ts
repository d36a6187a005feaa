import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Ledger } from './ledger.ts'

/** Events of this action go to the webhook endpoint. */
export const HOOKED_ACTION = 'crash.hooked'
const PLAIN_ACTION = 'crash.plain'
const HOOKED_SHARE = 0.15
const HOOKED_BATCH_MAX = 20
const REQUEST_TIMEOUT_MS = 5_000
const PAUSE_WHEN_DOWN_MS = 100

export type Random = () => number

/** mulberry32: the same schedule again for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Traffic = {
  baseUrl: string
  token: string
  connections: number
  batchMax: number
  /** Each connection rests up to this long between two batches. */
  pauseMsMax: number
  enough: () => boolean
  random: Random
}

/** Records batches over several connections, whatever happens to the service meanwhile. Nothing is sent twice. */
export async function sendBatches(ledger: Ledger, traffic: Traffic): Promise<void> {
  const pool = new Pool(traffic.baseUrl, { connections: traffic.connections, pipelining: 1 })
  const sender = async () => {
    while (!traffic.enough()) await sendOne(pool, ledger, traffic)
  }
  await Promise.all(Array.from({ length: traffic.connections }, sender))
  await pool.destroy()
}

async function sendOne(pool: Pool, ledger: Ledger, { token, batchMax, pauseMsMax, random }: Traffic): Promise<void> {
  await sleep(random() * pauseMsMax)
  const hooked = random() < HOOKED_SHARE
  const size = 1 + Math.floor(random() * (hooked ? HOOKED_BATCH_MAX : batchMax))
  const batch = ledger.attempt(size, hooked)
  const action = hooked ? HOOKED_ACTION : PLAIN_ACTION
  const events = Array.from({ length: size }, (_, item) => ({
    action,
    subjectId: `s${item}`,
    properties: { batch: batch.id, item },
  }))
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/events',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    await body.dump()
    if (statusCode === 204) batch.fate = 'acknowledged'
    // A 503 may come after the commit was sent: the database went away with the answer.
    else batch.fate = statusCode >= 500 ? 'unknown' : 'refused'
  } catch {
    batch.fate = 'unknown'
    await sleep(PAUSE_WHEN_DOWN_MS)
  }
}

export type LedgerReceiver = { url: string; close(): Promise<void> }

/** Takes deliveries and writes them into the ledger. */
export async function receiveInto(ledger: Ledger): Promise<LedgerReceiver> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { properties: Record<string, number> } }
      const { batch, item } = data.properties
      ledger.deliver(`${batch}/${item}`, String(request.headers['webhook-id']))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/crash`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
