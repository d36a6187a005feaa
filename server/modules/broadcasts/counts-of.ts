import type { Totals } from '../sending/ledger/read-totals.ts'
import type { BroadcastState } from './queries.ts'
import type { BroadcastCounts } from './schemas.ts'

/**
 * Fates of a broadcast's recipients, of one moment when the two are. Recipients that are frozen and not in the ledger yet are
 * pending as well.
 */
export function countsOf({ recipientsTotal: frozen }: BroadcastState, totals: Totals): BroadcastCounts {
  const { states, marks, recipients } = totals
  const recipientsTotal = Number(frozen ?? 0)
  return {
    recipientsTotal,
    pendingCount: states.pending + recipientsTotal - recipients,
    acceptedCount: states.accepted,
    failedCount: states.failed,
    suppressedCount: states.suppressed,
    skippedCount: states.skipped,
    uncertainCount: states.uncertain,
    openedCount: marks.opened,
    clickedCount: marks.clicked,
    unsubscribedCount: marks.unsubscribed,
    bouncedCount: marks.bounced,
    complainedCount: marks.complained,
  }
}
