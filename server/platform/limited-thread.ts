import { Worker } from 'node:worker_threads'

/**
 * Limits of a thread's work: processor time of one job, whatever else the machine does; how long it waits for a machine that
 * has none to give; its memory beside that of buffers; how long it is kept without work, and how many jobs may wait, that
 * which is done included: of everybody, and of one owner. A job that has not begun after `startMs` is not begun any more.
 */
export type ThreadLimits = {
  cpuMs: number
  wallMs: number
  heapMb: number
  idleMs: number
  waitingMax: number
  waitingOfOneMax?: number
  startMs?: number
}

const CHECK_EVERY_MS = 25
const RESOLVE_ONCE = new URL('../../bin/resolve-once.js', import.meta.url).href
const STRIP_ONCE = new URL('../../bin/strip-once.js', import.meta.url).href

export type Stopped = { outcome: 'stopped'; reason: 'time' | 'memory' } | { outcome: 'busy' }

/**
 * Does jobs on what others wrote, one after the other, in a thread of its own that has neither environment nor much memory: what
 * takes long there holds up nobody else, and ends. No owner of jobs has two done in a row while others wait.
 */
export type LimitedThread<Job, Result> = {
  run(job: Job, owner?: string): Promise<Result | Stopped>
  close(): Promise<void>
}

type Waiting<Job, Result> = {
  job: Job
  owner: string
  askedMs: number
  resolve: (result: Result | Stopped) => void
  reject: (error: unknown) => void
}

/** `file` answers each message, a job, with one message, its result; its first message says that it is ready. */
export function createLimitedThread<Job, Result>(file: URL, limits: ThreadLimits): LimitedThread<Job, Result> {
  let thread: Promise<Worker> | undefined
  let queue: Promise<unknown> = Promise.resolve()
  const waiting: Waiting<Job, Result>[] = []
  /** Of those that wait and of the one that is done. */
  const owners: string[] = []
  let lastOwner: string | undefined
  const { waitingMax, waitingOfOneMax = waitingMax, startMs = Number.POSITIVE_INFINITY } = limits
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

  /** Does the next of those that wait, which is another owner's than the last where there is one. */
  async function takeTurn(): Promise<void> {
    const other = waiting.findIndex(({ owner }) => owner !== lastOwner)
    const { job, owner, askedMs, resolve, reject } = waiting.splice(Math.max(0, other), 1)[0]!
    const isLate = performance.now() - askedMs > startMs
    if (!isLate) lastOwner = owner
    const ended = () => void owners.splice(owners.indexOf(owner), 1)
    try {
      const result: Result | Stopped = isLate ? { outcome: 'busy' } : await run(job)
      ended()
      resolve(result)
    } catch (error) {
      ended()
      reject(error)
      await drop()
    }
  }

  return {
    async run(job, owner = '') {
      const own = owners.filter((one) => one === owner).length
      if (owners.length >= waitingMax || own >= waitingOfOneMax) return { outcome: 'busy' }
      const { promise, resolve, reject } = Promise.withResolvers<Result | Stopped>()
      waiting.push({ job, owner, askedMs: performance.now(), resolve, reject })
      owners.push(owner)
      queue = queue.then(takeTurn)
      return promise
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
    execArgv: [RESOLVE_ONCE, STRIP_ONCE].flatMap((file) => ['--import', file]),
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
