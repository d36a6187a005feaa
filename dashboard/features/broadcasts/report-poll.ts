import type { BroadcastReport } from '../../lib/site-types.ts'

export const LIVE_MS = 1_500
/** Of one that has ended, where people open and click on; coming back to the page reads it at once. */
export const ENDED_MS = 30_000

const LIVE: readonly BroadcastReport['status'][] = ['draft', 'scheduled', 'sending', 'paused']

/**
 * How long the numbers of a report are good for. Those of one that was canceled move until whoever was to be written to is skipped:
 * read as seldom as those of an ended one, they would say for half a minute that a thousand people wait.
 */
export function reportPollMs({ status, pendingCount }: Pick<BroadcastReport, 'status' | 'pendingCount'>): number {
  return LIVE.includes(status) || (status === 'canceled' && pendingCount > 0) ? LIVE_MS : ENDED_MS
}
