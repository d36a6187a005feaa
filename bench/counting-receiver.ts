import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Times are milliseconds since the epoch. */
export type Arrivals = {
  count: number
  firstAtMs: number
  lastAtMs: number
  /** Of requests whose body says when its event was sent (`sentAtMs`). */
  latenciesMs: number[]
}

export type CountingReceiver = {
  url: string
  /** Forgets what arrived before. */
  reset(): Promise<void>
  /** Requests that have arrived since the reset, once they are `count`; fails after `withinMs`. */
  receive(count: number, withinMs: number): Promise<Arrivals>
  close(): Promise<void>
}

const LOOK_EVERY_MS = 20

/** A receiver of webhooks in a thread of its own. */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  const worker = new Worker(new URL('./counting-receiver-worker.ts', import.meta.url))
  const [port] = (await once(worker, 'message')) as [number]
  const ask = async (what: 'report' | 'reset'): Promise<Arrivals> => {
    const answer = once(worker, 'message')
    worker.postMessage(what)
    return ((await answer) as [Arrivals])[0]
  }
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    async reset() {
      await ask('reset')
    },
    async receive(count, withinMs) {
      const deadlineMs = performance.now() + withinMs
      for (;;) {
        const arrivals = await ask('report')
        if (arrivals.count >= count) return arrivals
        if (performance.now() > deadlineMs)
          throw new Error(`${arrivals.count} of ${count} deliveries in ${withinMs} ms`)
        await sleep(LOOK_EVERY_MS)
      }
    },
    async close() {
      await worker.terminate()
    },
  }
}
