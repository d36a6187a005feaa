import type { FailureReason, HoldReason, SkipReason, UncertainReason } from '../sending/message-states.ts'
import type { ExplainRow } from './explain-queries.ts'

/** One thing that was looked at: it lets the message through, stops or delays it, or says how it fared. */
export type Finding = {
  subject: 'address' | 'suppression' | 'unsubscribes' | 'consent' | 'queue' | 'stream' | 'attempts' | 'delivery'
  verdict: 'passes' | 'stops' | 'delays' | 'tells'
  detail: string
  at: string | null
}

/** Why somebody did or did not get a message, in one sentence and with all that it follows from. */
export type Explanation = { summary: string; findings: Finding[] }

const FAILURES: Readonly<Record<FailureReason, string>> = {
  address_refused: 'the receiving server says that the address does not exist or takes no mail',
  mailbox_full: 'the mailbox stayed full',
  content_refused: 'the receiving server did not take what it says',
  policy_refused: 'the receiving server refused the sender by a policy of its own',
  protocol_refused: 'the mail server did not understand or allow how it was handed over',
  host_refused: 'the mail server refused to talk to this sender at all',
  expired: 'it could not be handed over before its time was up',
  render_failed: 'its content could not be made for this person',
  compose_failed: 'no sound, signed message could be made of it',
}

const SKIPS: Readonly<Record<SkipReason, string>> = {
  no_email: 'the contact had no email address',
  unsubscribed_everything: 'the person wants no marketing mail at all',
  unsubscribed_source: 'the person has unsubscribed from broadcasts',
  unconfirmed: 'the workspace mails only those who are known to have agreed, and this contact is not',
  contact_gone: 'the contact is no longer there',
  canceled: 'it was canceled',
}

const UNCERTAINTIES: Readonly<Record<UncertainReason, string>> = {
  connection_lost: 'the connection broke before the server answered',
  process_lost: 'the process that sent it ended before the server answered',
}

const HOLDS: Readonly<Record<HoldReason, string>> = {
  no_integration: 'there is no integration to send through',
  integration_disabled: 'the integration is switched off',
  unverified_domain: 'the domain of its sender is not verified, so that nothing from it can be signed',
  credentials_refused: 'the mail server refuses the credentials of the integration',
  server_unreachable: 'the mail server cannot be reached',
  daily_limit: 'the limit of the integration for 24 hours is used up',
}

/** Reasons are words of closed lists; one from a newer version of the service is shown as it is. */
const textOf = (texts: Readonly<Record<string, string>>, reason: string | null) =>
  (reason === null ? undefined : texts[reason]) ?? reason ?? 'for a reason that was not noted'

export function explanationOf(row: ExplainRow): Explanation {
  return { summary: summaryOf(row), findings: findingsOf(row) }
}

function summaryOf(row: ExplainRow): string {
  switch (row.state) {
    case 'accepted':
      return acceptedSummary(row)
    case 'failed':
      return `Not delivered: ${textOf(FAILURES, row.reason)}.`
    case 'suppressed':
      return `Not sent: the address must not be mailed (${row.reason}).`
    case 'skipped':
      return `Not sent: ${textOf(SKIPS, row.reason)}.`
    case 'uncertain':
      return `Perhaps delivered: it was handed over, and ${textOf(UNCERTAINTIES, row.reason)}. It is not sent again by itself.`
    case 'pending':
      return pendingSummary(row)
  }
}

function acceptedSummary({ bouncedAt, complainedAt, openedAt, settledAt }: ExplainRow): string {
  if (bouncedAt !== null) return `Not delivered: the mail server took it, and it came back at ${bouncedAt}.`
  if (complainedAt !== null) return `Delivered, and reported as spam at ${complainedAt}.`
  if (openedAt !== null) return `Delivered, and opened at ${openedAt}.`
  return `The mail server took it${settledAt === null ? '' : ` at ${settledAt}`}; nothing has come back since.`
}

function pendingSummary(row: ExplainRow): string {
  if (!row.isQueued) return 'Not sent yet: it is not queued. This should not be; tell whoever runs the service.'
  if (row.handingAt !== null) return 'It is being handed to the mail server right now.'
  if (row.isClaimed) return 'A worker has it and is about to send it.'
  if (row.refusal !== null) return `It will not be sent: ${refusalText(row.refusal)}.`
  if (row.streamState === 'paused') return 'Not sent yet: its broadcast is paused.'
  if (row.streamState === 'canceled') return 'It will not be sent: its broadcast is canceled.'
  if (row.holdReason !== null) return `Not sent yet: ${textOf(HOLDS, row.holdReason)}.`
  if (row.lastCause !== null && !row.isDue)
    return `Not sent yet: the last attempt ended with ${row.lastCause}; the next is at ${row.dueAt}.`
  if (!row.isDue) return `Not sent yet: it is due at ${row.dueAt}.`
  return 'Not sent yet: it is due and waits for its turn.'
}

function refusalText(refusal: string): string {
  const [state, reason = null] = refusal.split(':')
  return state === 'suppressed' ? `the address must not be mailed (${reason})` : textOf(SKIPS, reason)
}

function findingsOf(row: ExplainRow): Finding[] {
  return [
    addressFinding(row),
    suppressionFinding(row),
    ...unsubscribeFinding(row),
    ...consentFinding(row),
    ...queueFindings(row),
    ...attemptFinding(row),
    ...deliveryFindings(row),
  ]
}

function addressFinding({ destination, contactId, hasContact, surface }: ExplainRow): Finding {
  const subject = 'address'
  if (destination === '') {
    const detail = contactId === null ? 'the address was erased' : 'the contact has no address, or was erased'
    return { subject, verdict: 'stops', detail, at: null }
  }
  if (contactId === null) return { subject, verdict: 'passes', detail: `${destination}, of no contact`, at: null }
  if (hasContact) return { subject, verdict: 'passes', detail: `${destination}, of contact ${contactId}`, at: null }
  const detail = `contact ${contactId} is no longer there`
  return { subject, verdict: surface === 'broadcast' ? 'stops' : 'passes', detail, at: null }
}

function suppressionFinding({ suppressedFor, suppressedAt, surface }: ExplainRow): Finding {
  const subject = 'suppression'
  if (suppressedFor === null) return { subject, verdict: 'passes', detail: 'the address is not suppressed', at: null }
  const heeded = surface !== 'test'
  const detail = `the address is suppressed (${suppressedFor})${heeded ? '' : ', which tests do not heed'}`
  return { subject, verdict: heeded ? 'stops' : 'passes', detail, at: suppressedAt }
}

function unsubscribeFinding({ unsubscribedFrom, surface }: ExplainRow): Finding[] {
  if (surface === 'transactional' || surface === 'test') return []
  const stopping = unsubscribedFrom.filter(
    (source) => source === 'everything' || (source === 'broadcasts' && surface === 'broadcast'),
  )
  const from = unsubscribedFrom.length === 0 ? 'nothing' : unsubscribedFrom.join(', ')
  const verdict = stopping.length > 0 ? 'stops' : 'passes'
  return [{ subject: 'unsubscribes', verdict, detail: `the address has unsubscribed from ${from}`, at: null }]
}

function consentFinding({ surface, wantsConsent, hasConsent }: ExplainRow): Finding[] {
  if (surface !== 'broadcast') return []
  const wanted = wantsConsent ? 'is asked for' : 'is not asked for'
  const detail = `consent ${wanted}, and ${hasConsent ? 'is there' : 'none is known'}`
  return [{ subject: 'consent', verdict: wantsConsent && !hasConsent ? 'stops' : 'passes', detail, at: null }]
}

function queueFindings(row: ExplainRow): Finding[] {
  if (!row.isQueued) return []
  const { isDue, isClaimed, dueAt, expiresAt, streamState, holdReason } = row
  const detail = isClaimed ? 'a worker has it' : isDue ? 'it is due' : 'it is not due yet'
  const queue: Finding = {
    subject: 'queue',
    verdict: isDue || isClaimed ? 'passes' : 'delays',
    detail: `${detail}; it is tried until ${expiresAt}`,
    at: dueAt,
  }
  const held = holdReason === null ? '' : `, and waits: ${textOf(HOLDS, holdReason)}`
  const verdict =
    streamState === 'canceled' ? 'stops' : streamState === 'open' && holdReason === null ? 'passes' : 'delays'
  return [queue, { subject: 'stream', verdict, detail: `what it is queued in is ${streamState}${held}`, at: null }]
}

function attemptFinding({ attempts, lastCause, lastAttemptReply, lastAttemptAt, state }: ExplainRow): Finding[] {
  if (lastCause === null) return []
  const said = lastAttemptReply === null ? '' : `: ${lastAttemptReply}`
  const detail = `${attempts} counted; the last that did not succeed ended with ${lastCause}${said}`
  return [{ subject: 'attempts', verdict: state === 'pending' ? 'delays' : 'tells', detail, at: lastAttemptAt }]
}

function deliveryFindings({
  state,
  provider,
  reply,
  settledAt,
  bouncedAt,
  complainedAt,
  openedAt,
}: ExplainRow): Finding[] {
  const tells = (detail: string, at: string | null): Finding[] =>
    at === null ? [] : [{ subject: 'delivery', verdict: 'tells', detail, at }]
  return [
    ...(state === 'accepted' || state === 'failed'
      ? tells(`${provider ?? 'the mail server'} answered${reply === null ? '' : `: ${reply}`}`, settledAt)
      : []),
    ...tells('it was opened', openedAt),
    ...tells('it came back', bouncedAt),
    ...tells('it was reported as spam', complainedAt),
  ]
}
