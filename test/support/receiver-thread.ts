import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { startReceiver } from './receiver.ts'
import type { Behaviour } from './receiver-behaviour.ts'

/** Receivers that keep a thread of their own busy, not the one whose patience is measured. */
export type ReceiverThread = { urls: readonly string[]; close(): Promise<void> }

/** Starts a receiver for each behaviour, all in one thread. */
export async function startReceiverThread(behaviours: readonly Behaviour[]): Promise<ReceiverThread> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { behaviours } })
  const [urls] = (await once(worker, 'message')) as [string[]]
  return {
    urls,
    async close() {
      await worker.terminate()
    },
  }
}

/** The part that the thread itself runs. */
if (!isMainThread && workerData?.behaviours) {
  const receivers = await Promise.all((workerData.behaviours as Behaviour[]).map((behave) => startReceiver({ behave })))
  parentPort?.postMessage(receivers.map((receiver) => receiver.url))
}
