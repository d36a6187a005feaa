import { Worker } from 'node:worker_threads'
import type { LayoutJob, LayoutResult } from './layout-job.ts'

/** Processor time of one job, whatever else the machine does; and how long it waits for a machine that has none to give. */
const CPU_MS_MAX = 400
const WALL_MS_MAX = 15_000
const CHECK_EVERY_MS = 25
/** MJML itself takes some 50 MB; the rest is for the largest template. */
const HEAP_MB_MAX = 112
/** How long the thread is kept without work. Starting it takes half a second, keeping it some 80 MB. */
const IDLE_MS = 10_000
const WAITING_MAX = 200
const STRIP_ONCE = new URL('../../../../bin/strip-once.js', import.meta.url).href

export type LayoutOutcome = LayoutResult | { outcome: 'stopped'; reason: 'time' | 'memory' } | { outcome: 'busy' }

/** Lays templates out, one after the other, in a thread of its own that has neither environment nor much memory. */
export type LayoutWorker = { layOut(job: LayoutJob): Promise<LayoutOutcome>; close(): Promise<void> }

const LIMITS = { cpuMs: CPU_MS_MAX, heapMb: HEAP_MB_MAX }

export function createLayoutWorker(given: Partial<typeof LIMITS> = {}): LayoutWorker {
  const limits = { ...LIMITS, ...given }
  let thread: Promise<Worker> | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let idle: NodeJS.Timeout | undefined

  async function drop(): Promise<void> {
    const ending = thread
    thread = undefined
    const worker = await ending?.catch(() => undefined)
    await worker?.terminate()
  }

  async function run(job: LayoutJob): Promise<LayoutOutcome> {
    clearTimeout(idle)
    thread ??= startThread(limits.heapMb)
    const outcome = await runOn(await thread, job, limits.cpuMs)
    if (outcome.outcome === 'stopped' || outcome.outcome === 'busy') await drop()
    idle = setTimeout(() => void drop(), IDLE_MS).unref()
    return outcome
  }

  return {
    async layOut(job) {
      if (waiting >= WAITING_MAX) return { outcome: 'busy' }
      waiting += 1
      const done = queue.then(() => run(job)).finally(() => (waiting -= 1))
      queue = done.catch(() => drop())
      return done
    },
    async close() {
      clearTimeout(idle)
      await queue
      await drop()
    },
  }
}

async function startThread(heapMb: number): Promise<Worker> {
  const worker = new Worker(new URL('./layout-thread.ts', import.meta.url), {
    env: {},
    argv: [],
    execArgv: ['--import', STRIP_ONCE],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
  })
  // An error that ends it between two jobs is noticed by the next.
  worker.removeAllListeners('error').on('error', () => undefined)
  worker.unref()
  return worker
}

async function runOn(worker: Worker, job: LayoutJob, cpuMsMax: number): Promise<LayoutOutcome> {
  worker.ref()
  const started = performance.now()
  const before = await worker.cpuUsage()
  const { promise, resolve } = Promise.withResolvers<LayoutOutcome>()
  const check = setInterval(() => {
    if (performance.now() - started > WALL_MS_MAX) return resolve({ outcome: 'busy' })
    void worker.cpuUsage(before).then(
      ({ user, system }) => (user + system) / 1_000 > cpuMsMax && resolve({ outcome: 'stopped', reason: 'time' }),
      () => undefined,
    )
  }, CHECK_EVERY_MS)
  const onMessage = (result: LayoutResult) => resolve(result)
  const onError = () => resolve({ outcome: 'stopped', reason: 'memory' })
  worker.once('message', onMessage).once('error', onError).once('exit', onError)
  worker.postMessage(job)
  try {
    return await promise
  } finally {
    clearInterval(check)
    worker.off('message', onMessage).off('error', onError).off('exit', onError)
    worker.unref()
  }
}
