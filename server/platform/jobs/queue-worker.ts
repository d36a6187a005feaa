import type pg from 'pg'
import { errorCode } from '../db/errors.ts'
import { Bell } from './bell.ts'
import { type ClaimedJob, claim } from './claim.ts'
import {
  type AttemptStatus,
  attemptsMaxOf,
  type JobKind,
  type NextStep,
  nextStep,
  type Outcome,
  timeoutMsOf,
} from './outcome.ts'
import { unknownKinds } from './queue-stats.ts'
import { startResultWriter, UNIQUE_VIOLATION } from './result-writer.ts'
import { HEARTBEAT_SECONDS } from './schema.ts'
import { keepAlive } from './settle.ts'
import { FailureStreak, type OnTrouble } from './trouble.ts'

export type QueueOptions = {
  name: string
  /** Jobs run at once by this process. */
  concurrency: number
  /** Places kept free for jobs of at least this priority. */
  reserved?: { places: number; priorityMin: number }
  /** Part of the places, in (0, 1], that the jobs of one group may take; all when absent. Rounded up. */
  groupShare?: number
  /** A due job starts within this time when nobody wakes the worker. 500 when absent. */
  pollMs?: number
}

export type Attempt = { queue: string; kind: string; status: AttemptStatus; attempt: number; durationMs: number }

export type QueueDeps = {
  pool: pg.Pool
  kinds: readonly JobKind[]
  onAttempt: (attempt: Attempt) => void
  onTrouble: OnTrouble
}

export type QueueWorker = {
  wake(): void
  stop(graceMs: number): Promise<void>
}

/** A claim from an empty queue costs 0.2 ms. */
const POLL_MS = 500
/** After a claim in vain the queue rests this many times its duration, however often it is woken. */
const REST_FACTOR = 10
const KEEP_ALIVE_MS = (HEARTBEAT_SECONDS * 1_000) / 3
const UNKNOWN_KINDS_MS = 60_000
/** After a stop's grace the results must be written within this time, else their jobs run again elsewhere. */
const LAST_WRITE_MS = 3_000
const PRIORITY_MIN = -2_147_483_648

/** A job between its claim and its settlement: `running` takes a place, `ended` waits until its result is written. */
type Held = { job: ClaimedJob; kind: JobKind; startedMs: number; abort: AbortController; phase: 'running' | 'ended' }

type Claimed = 'filled' | 'some' | 'none'

/**
 * Runs the jobs of one queue, streaming: each takes a place as soon as one is free and gives it back when its run ends.
 * Claims take as many as there are places, one claim after the other; results are written together, one write after
 * the other; neither waits for a slow job.
 */
export function startQueueWorker(deps: QueueDeps, options: QueueOptions): QueueWorker {
  const { pool, onAttempt, onTrouble } = deps
  const queue = options.name
  const kinds = new Map(deps.kinds.filter((kind) => kind.queue === queue).map((kind) => [kind.kind, kind]))
  const kindNames = [...kinds.keys()]
  const groupMax = Math.ceil((options.groupShare ?? 1) * options.concurrency)
  const reserved = options.reserved ?? { places: 0, priorityMin: PRIORITY_MIN }
  const pollMs = options.pollMs ?? POLL_MS

  const held = new Map<string, Held>()
  const claimBell = new Bell()
  const restBell = new Bell()
  const heartbeatBell = new Bell()
  const stopping = new AbortController()
  const results = startResultWriter({ pool, queue, onTrouble }, (written) => {
    for (const { job } of written) held.delete(job.id)
    placeFreed(written.some(({ job }) => job.singletonKey !== null))
  })
  /** Whether jobs may be due that could not be claimed for want of a place of their kind. */
  let isWaitingForPlaces = false

  function places() {
    let running = 0
    let unimportant = 0
    const groups = new Map<string, number>()
    for (const { job, phase } of held.values()) {
      if (phase !== 'running') continue
      running++
      if (job.priority < reserved.priorityMin) unimportant++
      if (job.groupKey !== null) groups.set(job.groupKey, (groups.get(job.groupKey) ?? 0) + 1)
    }
    // Results that wait to be written bound what is claimed next, so a slow database is not asked for more.
    const free = Math.min(options.concurrency - running, 2 * options.concurrency - held.size)
    const unreserved = Math.min(free, options.concurrency - reserved.places - unimportant)
    return { running, free, unreserved, groups }
  }

  /** Claims for the free places. Says whether it got as many as it asked for. */
  async function fillPlaces(): Promise<Claimed> {
    const { free, unreserved } = places()
    if (free <= 0) return 'filled'
    if (unreserved === free) return await claimSome(free, PRIORITY_MIN)
    if ((await claimSome(free, reserved.priorityMin)) === 'filled') return 'filled'
    const left = places().unreserved
    return left > 0 ? await claimSome(left, PRIORITY_MIN) : 'some'
  }

  async function claimSome(jobsMax: number, priorityMin: number): Promise<Claimed> {
    const running = places().groups
    const jobs = await claim(pool, { queue, kinds: kindNames, jobsMax, priorityMin, groupMax, running })
    for (const job of jobs) start(job)
    return jobs.length === jobsMax ? 'filled' : jobs.length > 0 ? 'some' : 'none'
  }

  async function claimLoop(): Promise<void> {
    const streak = new FailureStreak({ loop: 'claim', queue }, onTrouble)
    while (!stopping.signal.aborted) {
      const beganMs = performance.now()
      try {
        const got = await fillPlaces()
        streak.worked()
        if (got === 'filled' && places().free > 0) continue
        isWaitingForPlaces = got === 'filled' || groupMax < options.concurrency || reserved.places > 0
        if (got === 'none') await rest((performance.now() - beganMs) * REST_FACTOR)
        await claimBell.wait(pollMs)
      } catch (error) {
        // Two claims met on one singleton key: the other one has the job.
        if (errorCode(error) !== UNIQUE_VIOLATION) await rest(streak.failed(error).retryMs)
      }
    }
  }

  async function rest(ms: number): Promise<void> {
    if (!stopping.signal.aborted) await restBell.wait(ms)
  }

  function start(job: ClaimedJob): void {
    const kind = kinds.get(job.kind)!
    const entry: Held = { job, kind, startedMs: performance.now(), abort: new AbortController(), phase: 'running' }
    held.set(job.id, entry)
    if (job.attempt <= attemptsMaxOf(kind)) void run(entry)
    else end(entry, { next: 'discard', error: `its process died in each of ${job.attempt - 1} runs` })
  }

  async function run(entry: Held): Promise<void> {
    const { job, kind } = entry
    let outcome: Outcome
    let panicked = false
    const timer = setTimeout(() => giveUp(entry), timeoutMsOf(kind))
    try {
      outcome = await kind.run(job, { signal: entry.abort.signal, stopping: stopping.signal })
    } catch (error) {
      outcome = { outcome: 'error', error }
      panicked = true
    }
    clearTimeout(timer)
    if (isRunning(entry)) finish(entry, outcome, panicked)
  }

  function giveUp(entry: Held): void {
    if (!isRunning(entry)) return
    const error = new Error(`the run took longer than ${timeoutMsOf(entry.kind)} ms`)
    entry.abort.abort(error)
    finish(entry, { outcome: 'error', error }, false)
  }

  /** Not when it took too long, was released, or was given to another worker meanwhile. */
  function isRunning(entry: Held): boolean {
    return entry.phase === 'running' && held.get(entry.job.id) === entry
  }

  function finish(entry: Held, outcome: Outcome, panicked: boolean): void {
    const { job, kind, startedMs } = entry
    const status = panicked ? 'panic' : outcome.outcome === 'error' ? 'error' : 'ok'
    end(entry, nextStep(kind, job.attempt, outcome))
    onAttempt({ queue, kind: job.kind, status, attempt: job.attempt, durationMs: performance.now() - startedMs })
  }

  function end(entry: Held, step: NextStep): void {
    const { job } = entry
    entry.phase = 'ended'
    results.write({ job, step })
    if (step.next === 'discard')
      onTrouble({ trouble: 'discarded', queue, kind: job.kind, id: job.id, error: step.error })
    placeFreed(false)
  }

  /** Looks for more, but only when there may be: an idle queue is not asked again after each of its jobs. */
  function placeFreed(followerMayWait: boolean): void {
    if (isWaitingForPlaces || followerMayWait || stopping.signal.aborted) claimBell.ring()
  }

  async function heartbeatLoop(): Promise<void> {
    const streak = new FailureStreak({ loop: 'heartbeat', queue }, onTrouble)
    let waitMs = KEEP_ALIVE_MS
    let lookedMs = performance.now()
    while (!stopping.signal.aborted || held.size > 0) {
      await heartbeatBell.wait(waitMs)
      waitMs = KEEP_ALIVE_MS
      try {
        await beat()
        if (performance.now() - lookedMs >= UNKNOWN_KINDS_MS) {
          lookedMs = performance.now()
          const unknown = await unknownKinds(pool, queue, kindNames)
          for (const found of unknown) onTrouble({ trouble: 'unknown_kind', queue, ...found })
        }
        streak.worked()
      } catch (error) {
        waitMs = streak.failed(error).retryMs
      }
    }
  }

  async function beat(): Promise<void> {
    const entries = [...held.values()]
    if (entries.length === 0) return
    const jobs = entries.map(({ job }) => job)
    const alive = await keepAlive(pool, queue, jobs)
    for (const entry of entries.filter(isRunning)) {
      const { job, abort } = entry
      if (alive.has(job.id)) continue
      held.delete(job.id)
      abort.abort(new Error('the job was given to another worker'))
      onTrouble({ trouble: 'claim_lost', queue, kind: job.kind, id: job.id })
      placeFreed(false)
    }
  }

  const claiming = claimLoop()
  const beating = heartbeatLoop()

  return {
    wake() {
      claimBell.ring()
    },
    async stop(graceMs) {
      const graceEndsMs = performance.now() + graceMs
      stopping.abort()
      restBell.ring()
      claimBell.ring()
      await claiming
      for (let leftMs = graceMs; leftMs > 0 && places().running > 0; leftMs = graceEndsMs - performance.now()) {
        await claimBell.wait(leftMs)
      }
      for (const entry of [...held.values()].filter(isRunning)) {
        entry.abort.abort(new Error('the process stops'))
        end(entry, { next: 'wait', afterMs: 0, error: null, usesAttempt: false })
      }
      await results.close(LAST_WRITE_MS)
      held.clear()
      heartbeatBell.ring()
      await beating
    },
  }
}
