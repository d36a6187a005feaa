import type { Clock } from '../clock.ts'
import { databaseOutcome } from '../db/errors.ts'
import type { Logger } from './logger.ts'

/** How often an outage is told of while it lasts. */
const TOLD_EVERY_MS = 10_000
/** One without a failure for so long is over: all that wait at one moment meet it then, and only a database that is away goes on. */
const QUIET_MS = 8_000

/** A process does not stay for what it would say of the end. */
const UNHELD: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

type Lines = Pick<Logger, 'warn' | 'info'>

/**
 * Tells an operator of failures that are the database's, which everybody in the process meets at once, and again and again:
 * the first with its reason, then how many there were, whose, and why the last one failed, and the end. One line instead of thousands.
 */
export class OutageLog {
  readonly #log: Lines
  readonly #clock: Clock
  #sinceMs: number | undefined
  #lastMs = 0
  #total = 0
  #failures = new Map<string, number>()
  /** Why the last one failed: a disk may be full where at first there was no connection. */
  #reason = ''

  constructor(log: Lines, clock: Clock = UNHELD) {
    this.#log = log
    this.#clock = clock
  }

  /** Takes a failure of `whose` work. False when it is not the database's: that is told by itself. */
  took(error: unknown, whose: string): boolean {
    if (databaseOutcome(error) === undefined) return false
    this.#lastMs = this.#clock.nowMs()
    this.#total++
    this.#reason = error instanceof Error ? error.message : String(error)
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
    const sinceMs = this.#sinceMs ?? 0
    if (this.#clock.nowMs() - this.#lastMs >= QUIET_MS) {
      const lastedMs = Math.round(this.#lastMs - sinceMs)
      this.#log.info({ failures: this.#total, lastedMs }, 'the database answers again')
      this.#sinceMs = undefined
      this.#total = 0
      this.#failures = new Map()
      return
    }
    const lastsMs = Math.round(this.#clock.nowMs() - sinceMs)
    const failures = Object.fromEntries(this.#failures)
    this.#log.warn({ failures, lastsMs, reason: this.#reason }, 'the database still fails')
    this.#failures = new Map()
    this.#tellLater()
  }
}
