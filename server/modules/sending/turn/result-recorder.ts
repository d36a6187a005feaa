import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { createRecorder, type Recorder } from '../../../platform/db/recorder.ts'
import { recordResults, type SendResult } from './record-results.ts'

const RESULTS_MAX = 200

export type ResultRecorder = Recorder<SendResult>

export type RecorderDeps = {
  pool: pg.Pool
  /** Takes the results that counted, after the commit. */
  onRecorded(results: readonly SendResult[]): void
  onError(error: unknown): void
}

/**
 * Writes results of all turns of this process together. One that cannot be written is left to the lane's next turn, which
 * finds its claim unanswered.
 */
export function createResultRecorder({ pool, onRecorded, onError }: RecorderDeps): ResultRecorder {
  return createRecorder({
    itemsMax: RESULTS_MAX,
    onError,
    async writeAll(results) {
      crashPoint('results_before_commit')
      const counted = await recordResults(pool, results)
      crashPoint('results_after_commit')
      onRecorded(counted)
    },
  })
}
