import { crashPoint } from '../../../platform/crash-point.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { DraftError } from '../../../platform/mail/compose-message.ts'
import { domainOf } from '../../../platform/mail/mail-address.ts'
import { messageMemory } from '../../../platform/mail/message-memory.ts'
import { fieldsRewrittenBy } from '../../integrations/rewritten-fields.ts'
import type { SendingIntegration } from '../../integrations/sending-integration.ts'
import type { Pacer, Slot } from '../../pacing/pacer.ts'
import type { SigningKey } from '../../sending-domains/signing-key.ts'
import { doesHeed } from '../ledger/refusal.ts'
import type { MessageContent, PreparedMessages } from '../message-source.ts'
import type { FailureReason, HoldReason } from '../message-states.ts'
import type { Handover, Transport } from '../transports/transport.ts'
import { type BuildDeps, type Built, buildMessage, IncompleteMessageError } from './build-message.ts'
import type { Claim } from './claim-messages.ts'
import { judgeHandover } from './judge-handover.ts'
import type { HandingMarks } from './mark-handing.ts'
import { keyFor, type PrepareDeps } from './prepare-turn.ts'
import type { SendResult, Verdict } from './record-results.ts'

/** How long before its slot a message is marked as handed over: a commit, with room for a slow one. */
const MARK_LEAD_MS = 25
/** For how long a mark holds when its slot was lost: the next one may be far away. */
const MARK_HOLDS_MS = 1_000
/** A from address whose domain is not verified may be a matter of minutes. */
const UNVERIFIED_MS = 60_000
/** Messages that wait for a receiver's domain come back spread over this part more, so that not all come at once. */
const SPREAD = 0.2
const REPLY_CHARS_MAX = 500

/** Domains nothing goes to, and until when (RFC 3339). */
export type Backoffs = ReadonlyMap<string, string>

export type HandOverDeps = {
  pacer: Pacer
  marks: HandingMarks
  returnPathOf: BuildDeps['returnPathOf']
  unsubscribeAddressOf: BuildDeps['unsubscribeAddressOf']
  messageIdOf: BuildDeps['messageIdOf']
  /** For a bug in a template's rendering or the like: the message fails, the turn goes on. */
  onError(error: unknown): void
}

export type HandOver = {
  claim: Claim
  prepared: PreparedMessages
  integration: SendingIntegration
  transport: Transport
  backoffs: Backoffs
  signal: AbortSignal
}

/** Takes one claimed message all the way: content, signature, slot, mark, wire, verdict. Rejects only for the database's sake. */
export async function handOver(
  deps: HandOverDeps & PrepareDeps,
  at: HandOver,
): Promise<{ result: SendResult; hold: HoldReason | null }> {
  const { claim, integration, backoffs } = at
  const until = backoffs.get(domainOf(claim.destination))
  const leftMs = until === undefined ? 0 : Date.parse(until) - Date.now()
  const base = { claim, provider: integration.provider, clearsBackoff: until !== undefined }
  const unsent = (verdict: Verdict) => ({
    result: { ...base, verdict, sendingDomain: null, reply: null },
    hold: null,
  })
  if (leftMs > 0) return unsent(waiting(leftMs * (1 + SPREAD * Math.random()), 'backed_off'))
  const built = await build(deps, at)
  if ('verdict' in built) return unsent(built)
  crashPoint('message_built')
  let slot: Slot | null = null
  const onSlot = (given: Slot) => {
    slot = given
  }
  const beforeContent = () => mayGo(deps, { ...at, onSlot })
  const { envelope, bytes } = built
  const onSpent = () => messageMemory.giveBack(bytes)
  const handover = await at.transport.send({ envelope, bytes, beforeContent, onSpent })
  const { verdict, slowDown, hold } = judgeHandover(handover, claim)
  if (slowDown) deps.pacer.slowDown({ workspaceId: claim.workspaceId, integrationId: integration.id }, slot)
  return { result: { ...base, verdict, sendingDomain: built.domain, reply: replyOf(handover) }, hold }
}

function waiting(afterMs: number, cause: string): Verdict {
  return { verdict: 'again', afterMs, countsAttempt: false, log: null, cause }
}

/** Waits for the slot, and marks the message just before it: whoever says no until then is not mailed. */
async function mayGo(
  { pacer, marks }: HandOverDeps,
  { claim, integration, signal, onSlot }: HandOver & { onSlot(slot: Slot): void },
): Promise<boolean> {
  const { workspaceId, id: integrationId, perSecond } = integration
  const kind = claim.purpose === 'marketing' ? 'broadcast' : 'transactional'
  let markedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const slot = await pacer.reserve({ workspaceId, integrationId, perSecond, kind }, signal).catch(() => undefined)
    if (slot === undefined) return false
    onSlot(slot)
    const earlyMs = slot.at - MARK_LEAD_MS - performance.now()
    if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs))
    if (claim.quietFrom !== undefined && performance.now() >= claim.quietFrom) return false
    crashPoint('handing_before_commit')
    // Once for the next slots as well, lest a slow commit loses them all; who has said no since is asked for after that.
    if (performance.now() - markedAt > MARK_HOLDS_MS) {
      if (!(await marks.mark(claim))) return false
      markedAt = performance.now()
    }
    crashPoint('handing_after_commit')
    if (await slot.begin()) return true
  }
}

async function build(deps: HandOverDeps & PrepareDeps, at: HandOver): Promise<(Built & { domain: string }) | Verdict> {
  const { claim, integration } = at
  try {
    const content = await at.prepared.contentOf(claim)
    if ('fault' in content) {
      // Where the rule asks for the contact, the next claim does so, and skips who is gone.
      const isSkipped = content.fault === 'contact_gone' && doesHeed(claim, 'contact')
      return isSkipped ? waiting(0, content.fault) : failed('render_failed', content.detail)
    }
    const key = await keyOf(deps, integration, content)
    if (key === undefined) {
      const isLast = claim.expiresInMs < UNVERIFIED_MS
      return isLast ? failed('compose_failed', 'unverified_domain') : waiting(UNVERIFIED_MS, 'unverified_domain')
    }
    const rewrittenFields = fieldsRewrittenBy(integration)
    const built = await buildMessage({ ...deps, key, rewrittenFields }, claim, content)
    return { ...built, domain: key.domain }
  } catch (error) {
    // Nothing is wrong with the message: the turn fails, and the next one finds it as it was.
    if (databaseOutcome(error) !== undefined) throw error
    if (!(error instanceof DraftError || error instanceof IncompleteMessageError)) deps.onError(error)
    return failed('compose_failed', error instanceof Error ? error.message : 'compose_failed')
  }
}

function failed(reason: FailureReason, cause: string): Verdict {
  return { verdict: 'failed', reason, cause: cause.slice(0, REPLY_CHARS_MAX), bounce: null }
}

/** Keys of domains by integration, for as long as a turn's messages refer to the integration's object. */
const keys = new WeakMap<SendingIntegration, Map<string, Promise<SigningKey | undefined>>>()

function keyOf(deps: PrepareDeps, integration: SendingIntegration, { from }: MessageContent) {
  const known = keys.get(integration) ?? new Map<string, Promise<SigningKey | undefined>>()
  keys.set(integration, known)
  const domain = domainOf(from.address)
  const key = known.get(domain) ?? keyFor(deps, integration, from.address)
  known.set(domain, key)
  return key
}

function replyOf(handover: Handover): string | null {
  switch (handover.outcome) {
    case 'accepted':
      return handover.reply.slice(0, REPLY_CHARS_MAX)
    case 'refused': {
      const { code, enhanced, text } = handover.reply
      return [code, enhanced, text].filter(Boolean).join(' ').slice(0, REPLY_CHARS_MAX)
    }
    case 'unsent':
      return handover.message.slice(0, REPLY_CHARS_MAX)
    default:
      return null
  }
}
