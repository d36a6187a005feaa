import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** In ms of the machine's monotonic clock. */
export type Arrival = { after: number; by: number }

export type ArrivalSink = {
  port: number
  /** Between which moments each message was whole at the server, in order, by the recipient's domain; forgets them. */
  take(): Promise<Record<string, Arrival[]>>
  close(): Promise<void>
}

/** A mail server in a thread of its own. */
export async function startArrivalSink(): Promise<ArrivalSink> {
  const worker = new Worker(new URL('./arrival-sink-worker.ts', import.meta.url))
  const [port] = (await once(worker, 'message')) as [number]
  return {
    port,
    async take() {
      const answer = once(worker, 'message')
      worker.postMessage('take')
      return ((await answer) as [Record<string, Arrival[]>])[0]
    },
    async close() {
      await worker.terminate()
    },
  }
}

/** The most messages that were within one second for certain, wherever it begins. */
export function fullestSecond(arrivals: readonly Arrival[]): number {
  let first = 0
  let most = 0
  for (const [n, { by }] of arrivals.entries()) {
    while (by - arrivals[first]!.after >= 1_000) first += 1
    most = Math.max(most, n - first + 1)
  }
  return most
}
