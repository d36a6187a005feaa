import type { Clock } from '../clock.ts'
import { databaseOutcome, outageReason } from '../db/errors.ts'
import type { Logger } from './logger.ts'

/** How often an outage is told of while it lasts. */
const TOLD_EVERY_MS = 10_000
/** After so long without a failure the database is asked whether it is over: who has met it may rest, or have nothing to ask. */
const QUIET_MS = 8_000
/** The name that failures of that question stand under. */
const LOOK = 'the look whether it answers'

/** A process does not stay for what it would say of the end. */
const UNHELD: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

type Lines = Pick<Logger, 'warn' | 'info'>

export type OutageLogOptions = {
  /** Resolves when the database answers and takes writes. */
  ask: () => Promise<unknown>
  clock?: Clock
}

/**
 * Tells an operator of failures that are the database's, which everybody in the process meets at once, and again and again:
 * the first with its reason, then how many there were, whose, and why the last one failed, and the end, once the database has
 * said so itself. One line instead of thousands.
 */
export class OutageLog {
  readonly #log: Lines
  readonly #ask: OutageLogOptions['ask']
  readonly #clock: Clock
  #sinceMs: number | undefined
  #lastMs = 0
  #total = 0
  #failures = new Map<string, number>()
  /** Why the last one failed: a disk may be full where at first there was no connection. */
  #reason = ''

  constructor(log: Lines, { ask, clock = UNHELD }: OutageLogOptions) {
    this.#log = log
    this.#ask = ask
    this.#clock = clock
  }

  /** Takes a failure of `whose` work. False when it is not the database's: that is told by itself. */
  took(error: unknown, whose: string): boolean {
    if (databaseOutcome(error) === undefined) return false
    this.#lastMs = this.#clock.nowMs()
    this.#total++
    this.#reason = outageReason(error)
    if (this.#sinceMs === undefined) {
      this.#sinceMs = this.#lastMs
      this.#log.warn({ whose, reason: this.#reason }, 'the database does not answer, or not in time')
      this.#tellLater()
    } else this.#failures.set(whose, (this.#failures.get(whose) ?? 0) + 1)
    return true
  }

  #tellLater(): void {
    this.#clock.after(TOLD_EVERY_MS, () => this.#tell())
  }

  #tell(): void {
    if (this.#clock.nowMs() - this.#lastMs < QUIET_MS) this.#tellMore()
    else
      this.#ask().then(
        () => this.#tellEnd(),
        (error: unknown) => {
          // The process has closed its pools: it ends, and knows nothing more.
          if (databaseOutcome(error) === 'closed') return
          if (this.took(error, LOOK)) this.#tellMore()
          else this.#tellEnd()
        },
      )
  }

  #tellMore(): void {
    const lastsMs = Math.round(this.#clock.nowMs() - (this.#sinceMs ?? 0))
    const failures = Object.fromEntries(this.#failures)
    this.#log.warn({ failures, lastsMs, reason: this.#reason }, 'the database still fails')
    this.#failures = new Map()
    this.#tellLater()
  }

  #tellEnd(): void {
    const lastedMs = Math.round(this.#lastMs - (this.#sinceMs ?? 0))
    this.#log.info({ failures: this.#total, lastedMs }, 'the database answers again')
    this.#sinceMs = undefined
    this.#total = 0
    this.#failures = new Map()
  }
}
