import { surfaceOf } from './modules/sending/ledger/surface.ts'
import type { SendResult } from './modules/sending/turn/record-results.ts'
import { resultOf, sendOutcomeOf } from './modules/sending/turn/send-outcomes.ts'
import type { LostHits } from './modules/tracking/record-hits.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { ConsumerDeps } from './platform/outbox/consumer.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import type { OutageLog } from './platform/telemetry/outage-log.ts'

/** Where modules tell what they have done: metrics, and the log for what an operator must hear of. */
export function reports(metrics: Metrics, log: Logger, outages: OutageLog) {
  const batch = metrics.histogram(
    { name: 'postroom_intake_commit_events', help: 'Events written by one shared commit of the intake.' },
    [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000],
  )
  const returned = metrics.counter({
    name: 'postroom_returned_mails_total',
    help: 'Mails taken in as returned ones, by what they were.',
  })
  const submitted = metrics.counter({
    name: 'postroom_submissions_total',
    help: 'Mails that programs handed over by SMTP, by what became of them.',
  })
  const dropped = metrics.counter({
    name: 'postroom_collect_dropped_total',
    help: 'Events of browsers that were answered as if they had been taken, by why.',
  })
  const lostHits = metrics.counter({
    name: 'postroom_hits_lost_total',
    help: 'Opens and clicks that are not counted, by why.',
  })
  const result = metrics.counter({
    name: 'postroom_send_results_total',
    help: 'Results of claimed messages that were recorded, by surface and what follows.',
  })
  const agentCall = metrics.counter({
    name: 'postroom_mcp_calls_total',
    help: 'Tools that agents called, by tool and how that ended.',
  })
  return {
    onAgentCall: (tool: string, outcome: string) => agentCall(1, { tool, outcome }),
    onAttempt: metrics.jobAttempt,
    onCommitted: (events: number) => batch(events),
    onFeedback: metrics.emailOutcome,
    onReturnedMail: (outcome: string) => returned(1, { outcome }),
    onCollectDropped: (events: number, reason: string) => dropped(events, { reason }),
    onSubmission: (outcome: string) => submitted(1, { outcome }),
    onLostHits({ hits, reason }: LostHits) {
      lostHits(hits, { reason })
      // The metrics are not served any more by then.
      if (reason === 'ended') log.warn({ hits }, 'opens and clicks that were not stored are lost')
    },
    onRecorded(results: readonly SendResult[]) {
      for (const one of results) {
        const outcome = sendOutcomeOf(one)
        if (outcome) metrics.emailOutcome(outcome)
        result(1, { surface: surfaceOf(one.claim.sourceKind), result: resultOf(one) })
      }
    },
    onParked: tellParked(log),
    onError(error: unknown) {
      if (!outages.took(error, 'what was gathered')) log.error(error, 'what was gathered cannot be written')
    },
  }
}

export function tellParked(log: Logger): ConsumerDeps['onParked'] {
  return ({ group, position, error }) => log.error({ err: error, group, position }, 'an event was parked')
}
