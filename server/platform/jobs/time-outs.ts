import { databaseOutcome } from '../db/errors.ts'
import type { Ending } from './outcome.ts'

/** Minutes, for each run takes seconds: a database that is slow for a moment is told of by others. */
export const TIME_OUTS_TOLD = 20
const JOBS_KEPT_MAX = 10_000

/**
 * Runs in a row, in this process, that the database had no time for, by job. They are no attempts of a job that is never given up, so
 * that nobody would hear of one that is too much for any.
 */
export class TimeOuts {
  readonly #runs = new Map<string, number>()

  /** Counts a run; true for the one at which it is told of. */
  isTold(jobId: string, ending: Ending): boolean {
    if (ending.outcome !== 'database' || databaseOutcome(ending.error) !== 'timed_out') {
      this.#runs.delete(jobId)
      return false
    }
    const runs = (this.#runs.get(jobId) ?? 0) + 1
    // Those that another process has ended stay; counting begins anew where they are too many.
    if (this.#runs.size >= JOBS_KEPT_MAX) this.#runs.clear()
    this.#runs.set(jobId, runs)
    return runs === TIME_OUTS_TOLD
  }
}
