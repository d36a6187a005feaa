import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { createRecorder, type Recorder } from '../../platform/db/recorder.ts'
import { type AttemptResult, recordAttempts, recordUnlogged } from './record-attempts.ts'

const RESULTS_MAX = 500

export type AttemptRecorder = Recorder<AttemptResult>

/**
 * Writes results of all lanes of this process together. One that cannot be written as it is counts all the same, without
 * its entry in the log of attempts: its receiver must not get the same attempt again and again. One of which not even that
 * can be written is the lane's next turn's, after a rest.
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
    async writeLess(result) {
      await recordUnlogged(pool, result)
    },
  })
}
