import type { SenderFault } from '../sending/judge-sender.ts'
import { doesHeed, type Rule, sendingSourceOf } from '../sending/ledger/refusal.ts'
import { refusalInWords, ruleOf, sourceInWords } from '../sending/ledger/refusal-words.ts'
import type { FailureReason, HoldReason, UncertainReason } from '../sending/message-states.ts'
import type { Restraint } from '../sending/restraint/restraints.ts'
import type { ExplainRow } from './explain-queries.ts'

export const FINDING_SUBJECTS = [
  'purpose',
  'address',
  'suppression',
  'unsubscribes',
  'proof',
  'consent',
  'sender',
  'queue',
  'stream',
  'attempts',
  'delivery',
] as const

/** One thing that was looked at: it lets the message through, stops or delays it, or says how it fared. */
export type Finding = {
  subject: (typeof FINDING_SUBJECTS)[number]
  verdict: 'passes' | 'stops' | 'delays' | 'tells'
  detail: string
  at: string | null
}

/** Why somebody did or did not get a message, in one sentence and with all that it follows from. `rule` has refused it. */
export type Explanation = { rule: Rule | null; summary: string; findings: Finding[] }

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

const UNCERTAINTIES: Readonly<Record<UncertainReason, string>> = {
  connection_lost: 'the connection broke before the server answered',
  process_lost: 'the process that sent it ended before the server answered',
  restored: 'the database was restored from a backup, after which it may have been sent',
}

const HOLDS: Readonly<Record<HoldReason, string>> = {
  no_integration: 'there is no integration to send through',
  integration_disabled: 'the integration is switched off',
  unverified_domain: 'the domain of its sender is not verified, so that nothing from it can be signed',
  credentials_refused: 'the mail server refuses the credentials of the integration',
  server_unreachable: 'the mail server cannot be reached, or ends its sessions before it takes a message',
  daily_limit: 'the limit of the integration for 24 hours is used up',
}

const RESTRAINED: Readonly<Record<Restraint, string>> = {
  quiet_hours: 'it is held back for the quiet hours of the person',
  frequency_cap: 'the person has had as much marketing mail as the workspace allows',
}

/** Reasons are words of closed lists; one from a newer version of the service is shown as it is. */
const textOf = (texts: Readonly<Record<string, string>>, reason: string | null) =>
  (reason === null ? undefined : texts[reason]) ?? reason ?? 'for a reason that was not noted'

/** `fault`: of the sender of a message that waits, as it is now. */
export function explanationOf(row: ExplainRow, fault?: SenderFault): Explanation {
  const { state, reason } = row.state === 'pending' && row.refusal !== null ? refusalOf(row.refusal) : row
  return { rule: ruleOf(state, reason), summary: summaryOf(row, fault), findings: findingsOf(row, fault) }
}

function summaryOf(row: ExplainRow, fault?: SenderFault): string {
  switch (row.state) {
    case 'accepted':
      return acceptedSummary(row)
    case 'failed':
      return `Not delivered: ${textOf(FAILURES, row.reason)}.`
    case 'suppressed':
    case 'skipped':
      return `Not sent: ${refusalInWords(namedOrigin(row), row)}.`
    case 'uncertain':
      return `Perhaps delivered: it was handed over, and ${textOf(UNCERTAINTIES, row.reason)}. It is not sent again by itself.`
    case 'pending':
      return pendingSummary(row, fault)
  }
}

function acceptedSummary({ bouncedAt, complainedAt, openedAt, settledAt }: ExplainRow): string {
  if (bouncedAt !== null) return `Not delivered: the mail server took it, and it came back at ${bouncedAt}.`
  if (complainedAt !== null) return `Delivered, and reported as spam at ${complainedAt}.`
  if (openedAt !== null) return `Delivered, and opened at ${openedAt}.`
  return `The mail server took it${settledAt === null ? '' : ` at ${settledAt}`}; nothing has come back since.`
}

function pendingSummary(row: ExplainRow, fault?: SenderFault): string {
  if (!row.isQueued) return 'Not sent yet: it is not queued. This should not be; tell whoever runs the service.'
  if (row.handingAt !== null) return 'It is being handed to the mail server right now.'
  if (row.isClaimed) return 'A worker has it and is about to send it.'
  if (row.refusal !== null) return `It will not be sent: ${refusalInWords(namedOrigin(row), refusalOf(row.refusal))}.`
  if (row.streamState === 'paused') return `Not sent yet: its ${row.sourceKind} is paused.`
  if (row.streamState === 'canceled') return `It will not be sent: its ${row.sourceKind} is canceled.`
  if (fault !== undefined) return `Not sent yet: ${senderText(fault)}.`
  if (row.holdReason !== null) return `Not sent yet: ${textOf(HOLDS, row.holdReason)}.`
  if (row.heldFor !== null && !row.isDue)
    return `Not sent yet: ${textOf(RESTRAINED, row.heldFor)}. It is looked at again at ${row.dueAt}.`
  if (row.lastCause !== null && !row.isDue)
    return `Not sent yet: the last attempt ended with ${row.lastCause}; the next is at ${row.dueAt}.`
  if (!row.isDue) return `Not sent yet: it is due at ${row.dueAt}.`
  return 'Not sent yet: it is due and waits for its turn.'
}

function refusalOf(refusal: string): { state: 'suppressed' | 'skipped'; reason: string | null } {
  const [state, reason = null] = refusal.split(':')
  return { state: state as 'suppressed' | 'skipped', reason }
}

function findingsOf(row: ExplainRow, fault?: SenderFault): Finding[] {
  return [
    purposeFinding(row),
    addressFinding(row),
    suppressionFinding(row),
    ...unsubscribeFinding(row),
    ...proofFinding(row),
    ...consentFinding(row),
    ...senderFinding(row, fault),
    ...queueFindings(row),
    ...attemptFinding(row),
    ...deliveryFindings(row),
  ]
}

/** Words of the findings below it, which say the rest. */
const HEEDED: Readonly<Record<Exclude<Rule, 'address'>, string>> = {
  suppression: 'suppressions',
  everything: 'unsubscribes from everything',
  source: 'unsubscribes',
  topic: 'topics',
  contact: 'erasure',
  proof: 'proof',
  consent: 'consent',
}

/** Which rules hold for it, so that nobody looks for the one that does not. */
function purposeFinding(row: ExplainRow): Finding {
  const heeded = (Object.keys(HEEDED) as (keyof typeof HEEDED)[])
    .filter((rule) => doesHeed(row, rule))
    // Mail that heeds unsubscribes from its source heeds those from everything.
    .filter((rule, _, all) => rule !== 'everything' || !all.includes('source'))
    .map((rule) => HEEDED[rule])
  const heeds = heeded.length === 0 ? 'nothing' : heeded.join(', ')
  return { subject: 'purpose', verdict: 'tells', detail: `${row.purpose} mail, which heeds ${heeds}`, at: null }
}

function addressFinding(row: ExplainRow): Finding {
  const { destination, contactId, hasContact } = row
  const subject = 'address'
  if (destination === '') {
    const detail = contactId === null ? 'the address was erased' : 'the contact has no address, or was erased'
    return { subject, verdict: 'stops', detail, at: null }
  }
  if (contactId === null) return { subject, verdict: 'passes', detail: `${destination}, of no contact`, at: null }
  if (hasContact) return { subject, verdict: 'passes', detail: `${destination}, of contact ${contactId}`, at: null }
  const detail = `contact ${contactId} is no longer there`
  return { subject, verdict: doesHeed(row, 'contact') ? 'stops' : 'passes', detail, at: null }
}

function suppressionFinding(row: ExplainRow): Finding {
  const { suppressedFor, suppressedAt } = row
  const subject = 'suppression'
  if (suppressedFor === null) return { subject, verdict: 'passes', detail: 'the address is not suppressed', at: null }
  const heeded = doesHeed(row, 'suppression')
  const detail = `the address is suppressed (${suppressedFor})${heeded ? '' : ', which tests do not heed'}`
  return { subject, verdict: heeded ? 'stops' : 'passes', detail, at: suppressedAt }
}

const namedOrigin = (row: ExplainRow) => ({ ...row, name: row.sourceName })

/** Sources that stop it; who said yes to its topic alone gets that without other broadcasts. */
function stoppingSources(row: ExplainRow): (string | null)[] {
  const everything = doesHeed(row, 'everything') ? ['everything'] : []
  if (!doesHeed(row, 'source')) return everything
  const all = row.sourceKind === 'automation' ? ['automations'] : row.isSubscribed ? [] : ['broadcasts']
  return [...everything, sendingSourceOf(row), ...all]
}

function unsubscribeFinding(row: ExplainRow): Finding[] {
  const { unsubscribedFrom, unsubscribedNames } = row
  const heeded = stoppingSources(row)
  if (heeded.length === 0) return []
  const named = unsubscribedFrom.map((source, n) => sourceInWords(source, unsubscribedNames[n]))
  const from = named.length === 0 ? 'nothing' : named.join(', ')
  const verdict = unsubscribedFrom.some((source) => heeded.includes(source)) ? 'stops' : 'passes'
  return [{ subject: 'unsubscribes', verdict, detail: `the address has unsubscribed from ${from}`, at: null }]
}

/** Said only where it stops: nearly everybody was stated by the workspace itself. */
function proofFinding(row: ExplainRow): Finding[] {
  if (!row.isUnproven || !doesHeed(row, 'proof')) return []
  const detail = 'the address of the contact was stated by a page alone, and is not proven'
  return [{ subject: 'proof', verdict: 'stops', detail, at: null }]
}

function consentFinding(row: ExplainRow): Finding[] {
  const { wantsConsent, hasConsent } = row
  if (!doesHeed(row, 'consent')) return []
  const wanted = wantsConsent ? 'is asked for' : 'is not asked for'
  const detail = `consent ${wanted}, and ${hasConsent ? 'is there' : 'none is known'}`
  return [{ subject: 'consent', verdict: wantsConsent && !hasConsent ? 'stops' : 'passes', detail, at: null }]
}

/** By the same words as the hold of a stream; an unverified domain is named. */
function senderText(fault: SenderFault): string {
  if (fault.reason !== 'unverified_domain') return textOf(HOLDS, fault.reason)
  const { address, domain, isKnown } = fault
  const why = isKnown
    ? 'is not verified, so that nothing from it can be signed'
    : 'is no sending domain of this workspace'
  return `its sender is ${address}, and ${domain} ${why}`
}

function senderFinding({ state }: ExplainRow, fault: SenderFault | undefined): Finding[] {
  if (state !== 'pending') return []
  const at = null
  if (fault !== undefined) return [{ subject: 'sender', verdict: 'delays', detail: senderText(fault), at }]
  const detail = 'there is an integration to send it through, and the domain of its sender can sign it'
  return [{ subject: 'sender', verdict: 'passes', detail, at }]
}

function queueFindings(row: ExplainRow): Finding[] {
  if (!row.isQueued) return []
  const { isDue, isClaimed, dueAt, expiresAt, streamState, holdReason, heldFor } = row
  const later = heldFor === null ? 'it is not due yet' : textOf(RESTRAINED, heldFor)
  const detail = isClaimed ? 'a worker has it' : isDue ? 'it is due' : later
  const queue: Finding = {
    subject: 'queue',
    verdict: isDue || isClaimed ? 'passes' : 'delays',
    detail: heldFor === null ? `${detail}; it is tried until ${expiresAt}` : detail,
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
