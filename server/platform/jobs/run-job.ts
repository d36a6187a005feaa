import { type AttemptStatus, type Job, type JobHandler, type Outcome, timeoutMsOf } from './outcome.ts'

export type RunResult = { status: AttemptStatus; outcome: Outcome; durationMs: number }

export type Run = {
  /** The handler's answer; `abandoned` when nobody wants to know any more. Never rejects. */
  result: Promise<RunResult | 'abandoned'>
  /** Tells the handler that its result no longer counts. */
  abandon(reason: string): void
}

const TIMER_MAX_MS = 2_147_483_647

/** Calls the handler of a job. A throw is a panic, a run beyond its time an error; either way the handler may go on. */
export function runJob(kind: JobHandler, job: Job, stopping: AbortSignal): Run {
  const startedMs = performance.now()
  const abort = new AbortController()
  const { promise: result, resolve } = Promise.withResolvers<RunResult | 'abandoned'>()
  const end = (status: AttemptStatus, outcome: Outcome) => {
    clearTimeout(timer)
    resolve({ status, outcome, durationMs: performance.now() - startedMs })
  }
  const timeoutMs = timeoutMsOf(kind)
  const timer = setTimeout(
    () => {
      const error = new Error(`the run took longer than ${timeoutMs} ms`)
      abort.abort(error)
      end('error', { outcome: 'error', error })
    },
    Math.min(timeoutMs, TIMER_MAX_MS),
  )
  const run = async () => await kind.run(job, { signal: abort.signal, stopping })
  run().then(
    (outcome) => end(outcome.outcome === 'error' ? 'error' : 'ok', outcome),
    (error: unknown) => end('panic', { outcome: 'error', error }),
  )
  return {
    result,
    abandon(reason) {
      clearTimeout(timer)
      abort.abort(new Error(reason))
      resolve('abandoned')
    },
  }
}
