import { refusalInWords, ruleOf } from '../../sending/ledger/refusal-words.ts'
import type { HoldReason } from '../../sending/message-states.ts'
import type { BroadcastState } from '../queries.ts'
import type { CauseCount, LaneFacts, QueueFacts } from './explain-queries.ts'
import type { BroadcastExplanation, Finding } from './explain-schemas.ts'
import type { Report } from './report-schemas.ts'

/** Everything that a broadcast's state is explained by. */
export type ExplainFacts = {
  state: BroadcastState
  topicName: string | null
  report: Report
  queue: QueueFacts | null
  lanes: LaneFacts | null
  causes: readonly CauseCount[]
  backoffs: ReadonlyMap<string, string>
  /** Of the integration it goes through. */
  limits: { perSecond: number | null; perDay: number | null; sentLast24h: number } | null
}

/** Reasons that hold a stream, each with the act that lets it go on. */
const HOLDS: Readonly<Record<HoldReason, string>> = {
  no_integration: 'There is no integration to send through: make one the default, or the one it was given is gone.',
  integration_disabled: 'The integration it goes through is switched off: switch it on.',
  unverified_domain:
    'The domain of its sender is not verified, so that nothing can be signed: publish its DNS records.',
  credentials_refused: 'The mail server refuses the login of the integration: correct it.',
  server_unreachable:
    'The mail server cannot be reached, or ends its sessions before it takes a message. It is tried again by itself.',
  daily_limit: 'The limit of the integration for 24 hours is used up. It goes on by itself as the day moves on.',
}
const BACKOFFS_SHOWN_MAX = 10

const finding = (
  subject: Finding['subject'],
  verdict: Finding['verdict'],
  detail: string,
  at: string | null = null,
): Finding => ({ subject, verdict, detail, at })

/** Why a broadcast is where it is. Pure. */
export function explanationOf(facts: ExplainFacts): BroadcastExplanation {
  const { state, report, queue } = facts
  const findings = [
    statusFinding(state),
    ...planningFindings(state),
    ...refusedFindings(facts),
    ...senderFindings(report),
    ...limitFindings(facts),
    ...receiverFindings(facts),
    ...queueFindings(facts),
    ...attemptFindings(facts),
    sumFinding(report),
  ]
  return {
    summary: summaryOf(findings),
    status: state.status,
    holdReason: report.holdReason,
    recipientsTotal: report.recipientsTotal,
    plannedCount: Number(state.plannedTotal),
    pendingCount: report.pendingCount,
    handingCount: queue?.handing ?? 0,
    nextDueAt: queue?.nextDueAt ?? null,
    findings,
  }
}

/** The finding that stops it, else the one that delays it, else where it stands. */
function summaryOf(findings: readonly Finding[]): string {
  const first = (verdict: Finding['verdict']) => findings.find((one) => one.verdict === verdict)
  return (first('stops') ?? first('delays') ?? findings[0]!).detail
}

function statusFinding({ status, scheduledAt, localTime, failure, endedAt, startedAt }: BroadcastState): Finding {
  switch (status) {
    case 'draft':
      return finding('status', 'stops', 'It is a draft: nobody has sent or scheduled it.')
    case 'scheduled': {
      const at = scheduledAt === null ? '' : ` at ${scheduledAt}`
      const when = localTime === null ? `starts by itself${at}` : `is due at ${localTime} in each contact’s zone`
      return finding('status', 'delays', `It is scheduled and ${when}.`, scheduledAt)
    }
    case 'sending':
      return finding('status', 'passes', 'It is being sent.', startedAt)
    case 'paused':
      return finding('status', 'stops', 'It is paused: nothing goes out until somebody resumes it.')
    case 'sent':
      return finding('status', 'passes', 'It is sent: each of its messages has an outcome.', endedAt)
    case 'canceled':
      return finding('status', 'stops', 'It was canceled: whoever was not written to was skipped.', endedAt)
    case 'failed':
      return finding('status', 'stops', `It failed before anybody was written to: ${failure}`, endedAt)
  }
}

function planningFindings(state: BroadcastState): Finding[] {
  const { startedAt, recipientsTotal, frozenTotal, plannedTotal, plannedAt, redo } = state
  if (startedAt === null || state.status === 'failed') return []
  if (recipientsTotal === null) {
    const soFar = frozenTotal === '0' ? '' : `: ${frozenTotal} so far`
    return [finding('planning', 'delays', `Its audience is still being gathered${soFar}.`)]
  }
  if (plannedAt === null) {
    const detail = `${plannedTotal} of its ${recipientsTotal} recipients are planned; the others follow by themselves.`
    return [finding('planning', 'delays', detail)]
  }
  if (redo !== null) return [finding('planning', 'delays', 'Messages are being put back into its queue.')]
  return [finding('planning', 'passes', `All ${recipientsTotal} recipients are planned.`, plannedAt)]
}

/** Why some are not written to, the most frequent first. */
function refusedFindings({ state, topicName, report }: ExplainFacts): Finding[] {
  const origin = { sourceKind: 'broadcast', sourceId: state.id, topicId: state.topicId, name: topicName } as const
  const refused = [
    ...report.suppressedByReason.map((one) => ({ ...one, state: 'suppressed' as const })),
    ...report.skippedByReason.map((one) => ({ ...one, state: 'skipped' as const })),
  ].sort((one, other) => other.count - one.count)
  return refused.map((one) => {
    const rule = ruleOf(one.state, one.reason)
    const by = rule === null ? '' : ` (rule ${rule})`
    return finding('recipients', 'tells', `${one.count} were not written to: ${refusalInWords(origin, one)}${by}.`)
  })
}

function senderFindings({ holdReason }: Report): Finding[] {
  return holdReason === null ? [] : [finding('sender', 'stops', HOLDS[holdReason])]
}

function limitFindings({ state, report, limits }: ExplainFacts): Finding[] {
  if (limits === null || state.status !== 'sending' || report.pendingCount === 0) return []
  const found: Finding[] = []
  if (limits.perDay !== null && limits.sentLast24h >= limits.perDay) {
    const detail = `${limits.sentLast24h} messages went through its integration in the last 24 hours, of ${limits.perDay} allowed.`
    found.push(finding('limits', 'delays', detail))
  }
  if (limits.perSecond !== null) {
    const minutes = Math.ceil(report.pendingCount / limits.perSecond / 60)
    const detail = `Its integration takes ${limits.perSecond} messages a second: the rest needs some ${minutes} min at least.`
    found.push(finding('limits', 'tells', detail))
  }
  return found
}

function receiverFindings({ report, backoffs }: ExplainFacts): Finding[] {
  if (report.pendingCount === 0) return []
  return [...backoffs]
    .slice(0, BACKOFFS_SHOWN_MAX)
    .map(([domain, until]) => finding('receivers', 'delays', `${domain} asked for a pause.`, until))
}

function queueFindings({ state, queue, lanes }: ExplainFacts): Finding[] {
  if (queue === null || lanes === null || state.status !== 'sending') return []
  const found: Finding[] = []
  if (queue.handing > 0) {
    const detail = `${queue.handing} messages are being handed over.`
    found.push(finding('queue', 'passes', detail, queue.oldestHandingAt))
  }
  if (queue.isDue && lanes.running === 0 && lanes.waiting === 0) {
    found.push(finding('lanes', 'stops', 'Messages are due and nobody is to send them. This is an error of ours.'))
  } else if (queue.isDue && lanes.running === 0) {
    const detail = 'Messages are due and wait for a worker: is a process with ROLE=worker or ROLE=all running?'
    found.push(finding('lanes', 'delays', detail, lanes.wakeAt))
  } else if (!queue.isDue && queue.nextDueAt !== null && queue.claimed === 0) {
    found.push(finding('queue', 'delays', 'The next message is due later.', queue.nextDueAt))
  }
  return found
}

const HELD: Readonly<Record<string, string>> = {
  quiet_hours: 'wait for the end of the quiet hours of those they are for',
  frequency_cap: 'are for people who have had as much marketing mail as the workspace allows, and wait for room',
}

function attemptFindings({ causes }: ExplainFacts): Finding[] {
  return causes.map(({ outcome, cause, count, lastReply }) => {
    if (outcome === 'held')
      return finding('attempts', 'delays', `${count} of the next messages ${HELD[cause] ?? cause}.`)
    const reply = lastReply === null ? '' : ` (${lastReply})`
    return finding('attempts', 'tells', `${count} of the next messages were ${outcome} before: ${cause}${reply}.`)
  })
}

function sumFinding({ addsUp, uncertainCount }: Report): Finding {
  if (!addsUp) return finding('sum', 'stops', 'Its recipients do not add up. This is an error of ours: report it.')
  if (uncertainCount === 0) return finding('sum', 'passes', 'Its recipients add up.')
  const detail = `Its recipients add up; of ${uncertainCount} nobody knows whether they got it: decide with resolve-uncertain.`
  return finding('sum', 'tells', detail)
}
