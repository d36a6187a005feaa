import { assertNever } from '../assert-never.ts'
import { HOUR_MS } from '../durations.ts'
import type { Reach } from '../epoch/held.ts'

/** Ids, never the state that a job is about: whoever runs it reads that again. Goes through JSON. */
export type JobPayload = Record<string, unknown>

/** A claimed job. */
export type Job<P extends JobPayload = JobPayload> = {
  id: string
  queue: string
  kind: string
  payload: P
  /** 1 for the first run. Snoozes and releases do not count, a run that died with its process does. */
  attempt: number
  priority: number
  groupKey: string | null
  singletonKey: string | null
}

export type JobContext = {
  /** Aborted when the result no longer counts: the run took too long, or the job was given to somebody else. */
  signal: AbortSignal
  /** Aborted when the process is about to stop: a long run comes to an end early, with `more` if work is left. */
  stopping: AbortSignal
}

export type Outcome =
  | { outcome: 'ok' }
  /** This attempt failed: again after `retryAfterMs`, else after the kind's own delay, until the attempts are used up. */
  | { outcome: 'error'; error: unknown; retryAfterMs?: number }
  /** Not now. Uses up no attempt. */
  | { outcome: 'snooze'; afterMs: number }
  /** A part is done, and the rest follows at once, with all its attempts: long work that fails now and then gets on, and is not given up. */
  | { outcome: 'more' }

/** How a run ended: by its outcome, or the database's trouble ended it. */
export type Ending = Outcome | { outcome: 'database'; error: unknown }

/**
 * The handler of the jobs of a kind: made by `handlerOf`, or, for a schedule, which has no payload, written as it is.
 */
export type JobHandler = {
  kind: string
  queue: string
  /** May run more than once for one job, and on after its signal. A throw is a `panic`, otherwise treated as an error. */
  run(job: Job, context: JobContext): Promise<Outcome>
  /** After this many the job is discarded: kept for 14 days, not run again. 10 when absent; `Infinity` never gives up. */
  attemptsMax?: number
  /** Pause after the failed attempt `attempt`. Without it 1 s, doubled each time up to an hour, plus 0..20 %. */
  retryDelayMs?: (attempt: number) => number
  /** From then on the run counts as failed and its place is free again. Ten minutes when absent. */
  timeoutMs?: number
  /** A run that went well is not counted as an attempt: what runs it reports the attempts that it is made of. */
  reportsAttempts?: boolean
  /** Absent it may reach the world outside: it then waits while the installation is held, and never runs in a copy. */
  reach?: Reach
  /** Makes this a schedule: one job for the whole fleet, run this long after its last run, failed or not. */
  everySeconds?: number
}

export type AttemptStatus = 'ok' | 'error' | 'panic'

/** The next state of a job after a run. */
export type NextStep =
  | { next: 'remove' }
  /** `attemptsBack`: of those that it has used, this one included. */
  | { next: 'wait'; afterMs: number; error: string | null; attemptsBack: number }
  | { next: 'discard'; error: string | null }

const ATTEMPTS_MAX = 10
const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = HOUR_MS
const RETRY_JITTER = 0.2
/** The database's troubles are nobody's failed attempt: a run that met them is tried again as soon as it may work. */
const DATABASE_RETRY_MS = 1_000
const RUN_TIMEOUT_MS = 600_000
const ERROR_LENGTH_MAX = 2_000

export function attemptsMaxOf(kind: JobHandler): number {
  return kind.everySeconds === undefined ? (kind.attemptsMax ?? ATTEMPTS_MAX) : Number.POSITIVE_INFINITY
}

export function timeoutMsOf(kind: JobHandler): number {
  return kind.timeoutMs ?? RUN_TIMEOUT_MS
}

/** Decides what follows from a run's outcome. `random` is uniform in [0, 1). */
export function nextStep(kind: JobHandler, attempt: number, outcome: Ending, random = Math.random): NextStep {
  const error = 'error' in outcome ? errorText(outcome.error) : null
  const isOver = outcome.outcome !== 'snooze' && outcome.outcome !== 'more'
  if (kind.everySeconds !== undefined && isOver) {
    return { next: 'wait', afterMs: kind.everySeconds * 1_000, error, attemptsBack: 1 }
  }
  switch (outcome.outcome) {
    case 'ok':
      return { next: 'remove' }
    case 'snooze':
      return { next: 'wait', afterMs: outcome.afterMs, error, attemptsBack: 1 }
    case 'more':
      return { next: 'wait', afterMs: 0, error, attemptsBack: attempt }
    case 'error': {
      if (attempt >= attemptsMaxOf(kind)) return { next: 'discard', error }
      const afterMs = outcome.retryAfterMs ?? kind.retryDelayMs?.(attempt) ?? defaultRetryDelayMs(attempt, random)
      return { next: 'wait', afterMs, error, attemptsBack: 0 }
    }
    case 'database':
      return { next: 'wait', afterMs: DATABASE_RETRY_MS * (1 + random()), error, attemptsBack: 1 }
    default:
      return assertNever(outcome)
  }
}

function defaultRetryDelayMs(attempt: number, random: () => number): number {
  const delayMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(attempt - 1, 30))
  return delayMs * (1 + RETRY_JITTER * random())
}

/** An error as the row keeps it: bounded, and without the NUL that PostgreSQL's text refuses. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? String(error)) : String(error)
  return text.slice(0, ERROR_LENGTH_MAX).replaceAll('\0', '')
}
