import { assertNever } from '../../../platform/assert-never.ts'
import type { Progress } from './progress-queries.ts'

/** The next step of a broadcast; `wait` until its schedule, `none` when the rest is the sending's. */
export type Step =
  | { step: 'start' | 'freeze' | 'plan' | 'redo' | 'take_back' | 'none' }
  | { step: 'wait'; afterMs: number }

/**
 * Decides by nothing but the row: a run that died is followed by one that goes on. Steps that were begun are finished
 * also while the broadcast is paused, and when it is canceled, so that every recipient has an outcome.
 */
export function nextStep(progress: Progress): Step {
  const { status, inMs } = progress
  switch (status) {
    case 'draft':
    case 'failed':
      return { step: 'none' }
    case 'scheduled':
      return inMs !== null && inMs > 0 ? { step: 'wait', afterMs: inMs } : { step: 'start' }
    case 'sending':
    case 'paused':
    case 'sent':
    case 'canceled':
      if (progress.startedAt === null) return { step: 'none' }
      if (progress.recipientsTotal === null) return { step: 'freeze' }
      if (progress.plannedAt === null) return { step: 'plan' }
      if (progress.redo !== null) return { step: 'redo' }
      return { step: status === 'canceled' ? 'take_back' : 'none' }
    default:
      return assertNever(status)
  }
}
