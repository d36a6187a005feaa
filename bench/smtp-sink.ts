import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Times are milliseconds since the epoch; `bytes` are those of the messages. */
export type Taken = { count: number; bytes: number; firstAtMs: number; lastAtMs: number; signed: number }

export type SmtpSink = {
  port: number
  /** Returns the messages taken since the last reset, and forgets them. */
  reset(): Promise<Taken>
  /** Messages taken since the reset, once they are `count`; fails after `withinMs`. */
  take(count: number, withinMs: number): Promise<Taken>
  close(): Promise<void>
}

const LOOK_EVERY_MS = 20

/** A mail server in a thread of its own that takes everything. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const worker = new Worker(new URL('./smtp-sink-worker.ts', import.meta.url))
  const [port] = (await once(worker, 'message')) as [number]
  const ask = async (what: 'report' | 'reset'): Promise<Taken> => {
    const answer = once(worker, 'message')
    worker.postMessage(what)
    return ((await answer) as [Taken])[0]
  }
  return {
    port,
    reset: () => ask('reset'),
    async take(count, withinMs) {
      const deadlineMs = performance.now() + withinMs
      for (;;) {
        const taken = await ask('report')
        if (taken.count >= count) return taken
        if (performance.now() > deadlineMs) throw new Error(`${taken.count} of ${count} messages in ${withinMs} ms`)
        await sleep(LOOK_EVERY_MS)
      }
    },
    async close() {
      await worker.terminate()
    },
  }
}
