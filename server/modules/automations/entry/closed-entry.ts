import { wrongStatus } from '../../../catalogue/problems.ts'
import type { Problem } from '../../../platform/problem.ts'

/** The problem of an automation that takes nobody in; to activate it is no advice for one that is stopped for good. */
export function closedEntry({ isStopped }: { isStopped: boolean }): Problem {
  return wrongStatus(isStopped ? 'It is stopped; nobody comes in any more.' : 'Its entry is closed; activate it first.')
}
