/** Trouble that a job process tells its operator. A loop that fails over and over says so once, and once when it works again. */
export type Trouble =
  | { trouble: 'failing'; loop: JobLoop; queue?: string; error: unknown }
  | { trouble: 'recovered'; loop: JobLoop; queue?: string; failedForMs: number }
  /** Due jobs that no worker of this process can run. They are left alone. */
  | { trouble: 'unknown_kind'; queue: string; kind: string; jobs: number }
  /** The job was given to somebody else while it ran here: this process was silent for too long. */
  | { trouble: 'claim_lost'; queue: string; kind: string; id: string }
  /** A job of a kind that is never given up fails again and again. Said once, the fifth time, or the twentieth that the database has no time for it. */
  | { trouble: 'job_failing'; queue: string; kind: string; id: string; error: string | null }
  | { trouble: 'discarded'; queue: string; kind: string; id: string; error: string | null }

export type JobLoop = 'claim' | 'settle' | 'heartbeat' | 'supervise' | 'schedule' | 'listen' | 'notify'

export type OnTrouble = (trouble: Trouble) => void

const RETRY_FIRST_MS = 100
const RETRY_MAX_MS = 2_000

/** The failures in a row of one loop: reports the first and the recovery, and says how long to pause. */
export class FailureStreak {
  readonly #where: { loop: JobLoop; queue?: string }
  readonly #onTrouble: OnTrouble
  #sinceMs: number | undefined
  #retryMs = RETRY_FIRST_MS

  constructor(where: { loop: JobLoop; queue?: string }, onTrouble: OnTrouble) {
    this.#where = where
    this.#onTrouble = onTrouble
  }

  failed(error: unknown): { retryMs: number } {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = performance.now()
      this.#onTrouble({ trouble: 'failing', ...this.#where, error })
    }
    const retryMs = this.#retryMs
    this.#retryMs = Math.min(RETRY_MAX_MS, retryMs * 2)
    return { retryMs }
  }

  worked(): void {
    if (this.#sinceMs === undefined) return
    this.#onTrouble({ trouble: 'recovered', ...this.#where, failedForMs: performance.now() - this.#sinceMs })
    this.#sinceMs = undefined
    this.#retryMs = RETRY_FIRST_MS
  }
}
