import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { isDatabaseAway } from '../../platform/db/errors.ts'
import { recordResults, type SendResult } from './record-results.ts'

/** Results written by one statement at most; the rest goes with the next. */
const RESULTS_MAX = 200
/** Waits between tries while the database is away; results are kept meanwhile. */
const AWAY_FIRST_MS = 100
const AWAY_MAX_MS = 2_000

export type ResultRecorder = {
  /** Resolves when the result is durable (or was dropped as stale). Never rejects: it tries until it is stopped. */
  record(result: SendResult): Promise<void>
  stop(): void
}

export type RecorderDeps = {
  pool: pg.Pool
  /** What counted, after the commit. */
  onRecorded(results: readonly SendResult[]): void
  onError(error: unknown): void
}

/**
 * Writes results of all turns of this process together: while one transaction is under way the next ones gather, so a
 * single result is written at once and a hundred cost one commit.
 */
export function createResultRecorder({ pool, onRecorded, onError }: RecorderDeps): ResultRecorder {
  let waiting: { result: SendResult; done: () => void }[] = []
  let writing = false
  let stopped = false

  async function write(): Promise<void> {
    writing = true
    let awayMs = AWAY_FIRST_MS
    let alone = false
    while (waiting.length > 0 && !stopped) {
      const batch = waiting.slice(0, alone ? 1 : RESULTS_MAX)
      try {
        crashPoint('results_before_commit')
        const counted = await recordResults(
          pool,
          batch.map(({ result }) => result),
        )
        crashPoint('results_after_commit')
        waiting = waiting.slice(batch.length)
        for (const { done } of batch) done()
        onRecorded(counted)
        alone = false
        awayMs = AWAY_FIRST_MS
      } catch (error) {
        if (awayMs === AWAY_FIRST_MS || !isDatabaseAway(error)) onError(error)
        if (!isDatabaseAway(error)) {
          // A result that cannot be written is left to the lane's next turn, which finds its claim unanswered.
          if (alone) waiting.shift()?.done()
          alone = !alone
          continue
        }
        await new Promise((resolve) => setTimeout(resolve, awayMs))
        awayMs = Math.min(AWAY_MAX_MS, awayMs * 2)
      }
    }
    writing = false
  }

  return {
    record(result) {
      return new Promise((resolve) => {
        waiting.push({ result, done: resolve })
        if (!writing) void write()
      })
    },
    stop() {
      stopped = true
    },
  }
}
