import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Pool, request } from 'undici'
import { parseNetworks } from '../server/platform/net/address-guard.ts'
import { createGuardedClient } from '../server/platform/net/guarded-client.ts'
import { createResolver } from '../server/platform/net/resolver.ts'

const CONCURRENCY = 64
const ROUND_MS = 2_000
const ROUNDS = 3
const BODY = Buffer.from(JSON.stringify({ id: 1, type: 'contact.created', data: { text: 'x'.repeat(400) } }))
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'postroom-bench',
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

export type NetBench = { barePerSecond: number; guardedPerSecond: number; ratio: number }

/**
 * POSTs a second over kept-alive connections on loopback, bare undici against the guarded client, interleaved rounds
 * in one run. The receiver is a thread of its own. The ratio is the guard's cost: 1 would be free.
 */
export async function run(): Promise<NetBench> {
  const receiver = new Worker(new URL('./net-receiver.ts', import.meta.url))
  const [port] = (await once(receiver, 'message')) as [number]
  const origin = `http://127.0.0.1:${port}`
  const url = `${origin}/hooks/1`
  const pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 })
  const client = createGuardedClient({ allow: parseNetworks('127.0.0.0/8'), resolve: createResolver() })
  const bare = async (): Promise<void> => {
    const answer = await request(url, { method: 'POST', headers: HEADERS, body: BODY, dispatcher: pool })
    await answer.body.dump()
  }
  const guarded = async (): Promise<void> => {
    const answer = await client.send({ url, headers: HEADERS, body: BODY })
    if (answer.outcome !== 'answered') throw new Error(`the receiver did not answer: ${answer.reason}`)
  }
  await perSecond(bare, ROUND_MS / 4)
  await perSecond(guarded, ROUND_MS / 4)
  let barePerSecond = 0
  let guardedPerSecond = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    barePerSecond += (await perSecond(bare, ROUND_MS)) / ROUNDS
    guardedPerSecond += (await perSecond(guarded, ROUND_MS)) / ROUNDS
  }
  await client.close()
  await pool.close()
  await receiver.terminate()
  const ratio = guardedPerSecond / barePerSecond
  console.log(
    `net: bare undici ${barePerSecond.toFixed(0)} POSTs/s, guarded ${guardedPerSecond.toFixed(0)} POSTs/s, ratio ${ratio.toFixed(2)}`,
  )
  return { barePerSecond, guardedPerSecond, ratio }
}

async function perSecond(post: () => Promise<void>, durationMs: number): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (performance.now() - startedAt < durationMs) {
        await post()
        count += 1
      }
    }),
  )
  return (count / (performance.now() - startedAt)) * 1000
}
