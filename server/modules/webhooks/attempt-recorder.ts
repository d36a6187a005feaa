import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { createRecorder, type Recorder } from '../../platform/db/recorder.ts'
import { type AttemptResult, recordAttempts } from './record-attempts.ts'

const RESULTS_MAX = 500

export type AttemptRecorder = Recorder<AttemptResult>

/**
 * Writes results of all lanes of this process together. One that cannot be written is left to the lane's next turn, which
 * finds its claim unanswered.
 */
export function createAttemptRecorder(pool: pg.Pool, onError: (error: unknown) => void): AttemptRecorder {
  return createRecorder({
    itemsMax: RESULTS_MAX,
    onError,
    async writeAll(results) {
      crashPoint('attempts_before_commit')
      await recordAttempts(pool, results)
      crashPoint('attempts_after_commit')
    },
  })
}
