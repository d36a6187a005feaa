import type pg from 'pg'
import { Bell } from '../bell.ts'
import { errorCode } from '../db/errors.ts'
import { SQLSTATE } from '../db/sqlstates.ts'
import { type ClaimedJob, claim } from './claim.ts'
import { OrphanFinder } from './find-orphans.ts'
import { type AttemptStatus, attemptsMaxOf, type JobHandler, type NextStep, nextStep } from './outcome.ts'
import { groupMaxOf, hasSpecialPlaces, type PlaceRules, placesBeside } from './places.ts'
import { unknownKinds } from './queue-stats.ts'
import { type ResultWriter, startResultWriter } from './result-writer.ts'
import { type Run, runJob } from './run-job.ts'
import { keepAlive, type Settlement } from './settle.ts'
import { TimeOuts } from './time-outs.ts'
import { FailureStreak, type OnTrouble } from './trouble.ts'

export type QueueOptions = PlaceRules & {
  name: string
  /** A due job starts within this time when nobody wakes the worker. 500 when absent. */
  pollMs?: number
}

export type Attempt = { queue: string; kind: string; status: AttemptStatus; attempt: number; durationMs: number }

export type QueueDeps = {
  pool: pg.Pool
  kinds: readonly JobHandler[]
  /** Runs nothing that reaches further than the mailbox. */
  isCopy?: boolean
  onAttempt: (attempt: Attempt) => void
  onTrouble: OnTrouble
}

/** A claim from an empty queue costs 0.2 ms. */
const POLL_MS = 500
/** After a claim in vain the queue rests this many times its duration, at most until it polls, even when woken. */
const REST_FACTOR = 10
const KEEP_ALIVE_MS = 1_500
const UNKNOWN_KINDS_MS = 60_000
/** After a stop's grace the results must be written within this time, else their jobs run again elsewhere. */
const LAST_WRITE_MS = 3_000
const PRIORITY_MIN = -2_147_483_648

type Claimed = 'filled' | 'some' | 'none'

/**
 * Runs the jobs of one queue, streaming: each takes a place as soon as one is free and gives it back when its run ends.
 * Claims take as many as there are places, one claim after the other; results are written together, one write after
 * the other; neither waits for a slow job.
 */
export class QueueWorker {
  readonly #deps: QueueDeps
  readonly #options: QueueOptions
  readonly #kinds: ReadonlyMap<string, JobHandler>
  readonly #kindNames: readonly string[]
  readonly #claimable: { kinds: readonly string[]; heldKinds: readonly string[] }
  readonly #pollMs: number
  readonly #results: ResultWriter
  readonly #orphans: OrphanFinder
  readonly #timeOuts = new TimeOuts()

  /** Jobs take a place while they run, and are kept alive until their result is written. */
  readonly #running = new Map<ClaimedJob, Run>()
  readonly #unwritten = new Set<ClaimedJob>()
  /** Whether jobs may be due that could not be claimed for want of a place. */
  #isWaitingForPlaces = false

  readonly #stopping = new AbortController()
  readonly #claimBell = new Bell()
  readonly #restBell = new Bell()
  readonly #heartbeatBell = new Bell()
  readonly #claiming: Promise<void>
  readonly #beating: Promise<void>

  constructor(deps: QueueDeps, options: QueueOptions) {
    this.#deps = deps
    this.#options = options
    this.#kinds = new Map(deps.kinds.filter(({ queue }) => queue === options.name).map((kind) => [kind.kind, kind]))
    this.#kindNames = [...this.#kinds.keys()]
    this.#claimable = claimableOf([...this.#kinds.values()], deps.isCopy === true)
    this.#pollMs = options.pollMs ?? POLL_MS
    this.#results = startResultWriter({ ...deps, queue: options.name }, (results) => this.#written(results))
    this.#orphans = new OrphanFinder(deps.pool, options.name)
    this.#claiming = this.#claimLoop()
    this.#beating = this.#heartbeatLoop()
  }

  wake(): void {
    this.#claimBell.ring()
  }

  /** Claims nothing more, lets running jobs end for up to `graceMs`, and gives the rest back at once. */
  async stop(graceMs: number): Promise<void> {
    const graceEndsMs = performance.now() + graceMs
    this.#stopping.abort()
    this.#restBell.ring()
    this.#claimBell.ring()
    await this.#claiming
    for (let leftMs = graceMs; leftMs > 0 && this.#running.size > 0; leftMs = graceEndsMs - performance.now()) {
      await this.#claimBell.wait(leftMs)
    }
    for (const [job, run] of this.#running) {
      run.abandon('the process stops')
      this.#end(job, { next: 'wait', afterMs: 0, error: null, attemptsBack: 1 })
    }
    await this.#results.close(LAST_WRITE_MS)
    this.#unwritten.clear()
    this.#heartbeatBell.ring()
    await this.#beating
  }

  async #claimLoop(): Promise<void> {
    const streak = new FailureStreak({ loop: 'claim', queue: this.#options.name }, this.#deps.onTrouble)
    while (!this.#stopping.signal.aborted) {
      const beganMs = performance.now()
      try {
        const got = await this.#fillPlaces()
        streak.worked()
        if (got === 'filled' && this.#places().free > 0) continue
        this.#isWaitingForPlaces = got === 'filled' || hasSpecialPlaces(this.#options)
        const tookMs = performance.now() - beganMs
        if (got === 'none') await this.#rest(Math.min(this.#pollMs, tookMs * REST_FACTOR))
        await this.#claimBell.wait(this.#pollMs)
      } catch (error) {
        // Two claims met on one singleton key: the other one has the job.
        if (errorCode(error) !== SQLSTATE.uniqueViolation) await this.#rest(streak.failed(error).retryMs)
      }
    }
  }

  async #rest(ms: number): Promise<void> {
    if (!this.#stopping.signal.aborted) await this.#restBell.wait(ms)
  }

  /** Claims for the free places. Says whether it got as many as it asked for. */
  async #fillPlaces(): Promise<Claimed> {
    const { free, unreserved } = this.#places()
    if (free <= 0) return 'filled'
    if (unreserved === free) return await this.#claimSome(free, PRIORITY_MIN)
    const important = await this.#claimSome(free, this.#options.reserved?.priorityMin ?? PRIORITY_MIN)
    if (important === 'filled') return 'filled'
    const left = this.#places().unreserved
    if (left === 0) return important
    const others = await this.#claimSome(left, PRIORITY_MIN)
    return others === 'none' ? important : others
  }

  async #claimSome(jobsMax: number, priorityMin: number): Promise<Claimed> {
    const { pool } = this.#deps
    const { groups: running } = this.#places()
    const groupMax = groupMaxOf(this.#options)
    const request = { queue: this.#options.name, ...this.#claimable, jobsMax, priorityMin, groupMax, running }
    const jobs = await claim(pool, request)
    for (const job of jobs) this.#start(job)
    return jobs.length === jobsMax ? 'filled' : jobs.length > 0 ? 'some' : 'none'
  }

  #places() {
    const places = placesBeside(this.#running.keys(), this.#options)
    // Results that wait to be written bound what is claimed next, so a slow database is not asked for more.
    const free = Math.max(0, Math.min(places.free, this.#options.concurrency - this.#unwritten.size))
    return { ...places, free, unreserved: Math.min(free, places.unreserved) }
  }

  #start(job: ClaimedJob): void {
    const kind = this.#kinds.get(job.kind)!
    if (job.attempt > attemptsMaxOf(kind)) {
      this.#end(job, { next: 'discard', error: `its process died in each of ${job.attempt - 1} runs` })
      return
    }
    // Another process has taken it from here meanwhile and given it back: that run is over, and by its id two could not be told apart.
    for (const [earlier, lost] of this.#running) if (earlier.id === job.id) this.#lose(earlier, lost)
    const run = runJob(kind, job, this.#stopping.signal)
    this.#running.set(job, run)
    void run.result.then((result) => {
      if (result === 'abandoned') return
      this.#end(job, nextStep(kind, job.attempt, result.outcome), this.#timeOuts.isTold(job.id, result.outcome))
      const { status, durationMs } = result
      this.#deps.onAttempt({ queue: job.queue, kind: job.kind, status, attempt: job.attempt, durationMs })
    })
  }

  #end(job: ClaimedJob, step: NextStep, isTimeOutTold = false): void {
    this.#running.delete(job)
    this.#unwritten.add(job)
    this.#results.write({ job, step })
    const trouble = troubleOf(this.#kinds.get(job.kind)!, { attempt: job.attempt, step, isTimeOutTold })
    if (trouble !== undefined && step.next !== 'remove') {
      this.#deps.onTrouble({ trouble, queue: job.queue, kind: job.kind, id: job.id, error: step.error })
    }
    this.#placeFreed()
  }

  #written(results: readonly Settlement[]): void {
    for (const { job } of results) this.#unwritten.delete(job)
    if (results.some(({ job }) => job.singletonKey !== null)) this.#claimBell.ring()
    else this.#placeFreed()
  }

  /** Looks for more, but only when there may be: an idle queue is not asked again after each of its jobs. */
  #placeFreed(): void {
    if (this.#isWaitingForPlaces || this.#stopping.signal.aborted) this.#claimBell.ring()
  }

  async #heartbeatLoop(): Promise<void> {
    const streak = new FailureStreak({ loop: 'heartbeat', queue: this.#options.name }, this.#deps.onTrouble)
    let waitMs = KEEP_ALIVE_MS
    let lookedMs = performance.now()
    while (!this.#stopping.signal.aborted || this.#running.size + this.#unwritten.size > 0) {
      await this.#heartbeatBell.wait(waitMs)
      waitMs = KEEP_ALIVE_MS
      try {
        await this.#beat()
        if (!this.#stopping.signal.aborted && (await this.#orphans.look()) > 0) this.#claimBell.ring()
        if (performance.now() - lookedMs >= UNKNOWN_KINDS_MS) {
          lookedMs = performance.now()
          await this.#reportUnknownKinds()
        }
        streak.worked()
      } catch (error) {
        waitMs = streak.failed(error).retryMs
      }
    }
  }

  async #beat(): Promise<void> {
    const jobs = [...this.#running.keys(), ...this.#unwritten]
    if (jobs.length === 0) return
    const alive = await keepAlive(this.#deps.pool, this.#options.name, jobs)
    for (const job of jobs) {
      const run = this.#running.get(job)
      if (run === undefined || alive.has(job.id)) continue
      this.#lose(job, run)
      this.#placeFreed()
    }
  }

  #lose(job: ClaimedJob, run: Run): void {
    this.#running.delete(job)
    run.abandon('the job was given to another worker')
    this.#deps.onTrouble({ trouble: 'claim_lost', queue: job.queue, kind: job.kind, id: job.id })
  }

  async #reportUnknownKinds(): Promise<void> {
    const { pool, onTrouble } = this.#deps
    const queue = this.#options.name
    for (const found of await unknownKinds(pool, queue, this.#kindNames)) {
      onTrouble({ trouble: 'unknown_kind', queue, ...found })
    }
  }
}

/** Kinds that may be claimed: always, and while the installation is held. */
function claimableOf(kinds: readonly JobHandler[], isCopy: boolean) {
  const named = (those: readonly JobHandler[]) => those.map(({ kind }) => kind)
  const open = isCopy ? kinds.filter(({ reach }) => reach !== undefined) : kinds
  return { kinds: named(open), heldKinds: named(kinds.filter(({ reach }) => reach === 'database')) }
}

/** Nobody would hear of a job that is never given up and never succeeds; a first failure is no news. */
const FAILURES_TOLD = 5

type Ended = { attempt: number; step: NextStep; isTimeOutTold: boolean }

function troubleOf(kind: JobHandler, { attempt, step, isTimeOutTold }: Ended): 'discarded' | 'job_failing' | undefined {
  if (step.next === 'discard') return 'discarded'
  const isEndless = kind.everySeconds === undefined && attemptsMaxOf(kind) === Number.POSITIVE_INFINITY
  const hasFailed = step.next === 'wait' && step.attemptsBack === 0 && attempt === FAILURES_TOLD
  return isEndless && (hasFailed || isTimeOutTold) ? 'job_failing' : undefined
}
