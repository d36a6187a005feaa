import { Worker } from 'node:worker_threads'

/**
 * Limits of a thread's work: processor time of one job, whatever else the machine does; how long it waits for a machine that
 * has none to give; its memory beside that of buffers; how long it is kept without work, and how many jobs may wait.
 */
export type ThreadLimits = { cpuMs: number; wallMs: number; heapMb: number; idleMs: number; waitingMax: number }

const CHECK_EVERY_MS = 25
const STRIP_ONCE = new URL('../../bin/strip-once.js', import.meta.url).href

export type Stopped = { outcome: 'stopped'; reason: 'time' | 'memory' } | { outcome: 'busy' }

/**
 * Does jobs on what others wrote, one after the other, in a thread of its own that has neither environment nor much memory: what
 * takes long there holds up nobody else, and ends.
 */
export type LimitedThread<Job, Result> = { run(job: Job): Promise<Result | Stopped>; close(): Promise<void> }

/** `file` answers each message, a job, with one message, its result; its first message says that it is ready. */
export function createLimitedThread<Job, Result>(file: URL, limits: ThreadLimits): LimitedThread<Job, Result> {
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

  async function run(job: Job): Promise<Result | Stopped> {
    clearTimeout(idle)
    thread ??= startThread(file, limits.heapMb)
    const answer = await runOn<Job, Result>(await thread, job, limits)
    if ('stopped' in answer) await drop()
    idle = setTimeout(() => void drop(), limits.idleMs).unref()
    return 'stopped' in answer ? answer.stopped : answer.result
  }

  return {
    async run(job) {
      if (waiting >= limits.waitingMax) return { outcome: 'busy' }
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

async function startThread(file: URL, heapMb: number): Promise<Worker> {
  const worker = new Worker(file, {
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

type Answer<Result> = { result: Result } | { stopped: Stopped }

async function runOn<Job, Result>(worker: Worker, job: Job, { cpuMs, wallMs }: ThreadLimits): Promise<Answer<Result>> {
  worker.ref()
  const started = performance.now()
  const before = await worker.cpuUsage()
  const { promise, resolve } = Promise.withResolvers<Answer<Result>>()
  const stop = (stopped: Stopped) => resolve({ stopped })
  const check = setInterval(() => {
    if (performance.now() - started > wallMs) return stop({ outcome: 'busy' })
    void worker.cpuUsage(before).then(
      ({ user, system }) => (user + system) / 1_000 > cpuMs && stop({ outcome: 'stopped', reason: 'time' }),
      () => undefined,
    )
  }, CHECK_EVERY_MS)
  const onMessage = (result: Result) => resolve({ result })
  const onError = () => stop({ outcome: 'stopped', reason: 'memory' })
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
