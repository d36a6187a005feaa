import { databaseOutcome } from '../db/errors.ts'
import { type AttemptStatus, attemptsMaxOf, type Ending, type Job, type JobHandler, timeoutMsOf } from './outcome.ts'

export type RunResult = { status: AttemptStatus; outcome: Ending; durationMs: number }

export type Run = {
  /** The handler's answer; `abandoned` when nobody wants to know any more. Never rejects. */
  result: Promise<RunResult | 'abandoned'>
  /** Tells the handler that its result no longer counts. */
  abandon(reason: string): void
}

const TIMER_MAX_MS = 2_147_483_647

/**
 * Whether the database's trouble ended the run, and not the job's own fault. A time limit may be either, a lock that
 * somebody held or too much work: a job that is never given up need not be told from one that could be.
 */
function isDatabases(kind: JobHandler, error: unknown): boolean {
  const outcome = databaseOutcome(error)
  if (outcome === 'timed_out') return attemptsMaxOf(kind) === Number.POSITIVE_INFINITY
  return outcome !== undefined
}

/** Calls the handler of a job. A throw is a panic, unless it is what the database threw, a run beyond its time an error; either way the handler may go on. */
export function runJob(kind: JobHandler, job: Job, stopping: AbortSignal): Run {
  const startedMs = performance.now()
  const abort = new AbortController()
  const { promise: result, resolve } = Promise.withResolvers<RunResult | 'abandoned'>()
  const end = (status: AttemptStatus, outcome: Ending) => {
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
    (error: unknown) =>
      isDatabases(kind, error)
        ? end('error', { outcome: 'database', error })
        : end('panic', { outcome: 'error', error }),
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
