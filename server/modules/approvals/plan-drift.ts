import type { FrozenPlan } from './acts/act.ts'
import type { ApprovalRow } from './approval-queries.ts'

/** An audience that is larger or smaller than when it was asked for by more than this is another one. */
const DRIFT_MAX = 0.05

export const CONTENT_DRIFT = 'Its content, its sender or the rules of its audience have changed.'

/** How a plan is other than the one that was asked for, in a sentence; undefined while it is the same. */
export function driftOf(
  asked: Pick<ApprovalRow, 'contentHash' | 'recipientsCount'>,
  now: Pick<FrozenPlan, 'contentHash' | 'recipientsCount'>,
): string | undefined {
  if (!asked.contentHash.equals(now.contentHash)) return CONTENT_DRIFT
  return audienceDriftOf(asked, now.recipientsCount)
}

/** The same of its people alone. */
export function audienceDriftOf(asked: Pick<ApprovalRow, 'recipientsCount'>, count: number): string | undefined {
  const moved = Math.abs(count - asked.recipientsCount)
  return moved > DRIFT_MAX * asked.recipientsCount
    ? `Its audience had ${asked.recipientsCount} people then, and has ${count} now.`
    : undefined
}
