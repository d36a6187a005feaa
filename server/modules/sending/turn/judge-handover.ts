import { assertNever } from '../../../platform/assert-never.ts'
import { classifyReply, type ReplyClass } from '../../../platform/mail/classify-reply.ts'
import type { HoldReason } from '../message-states.ts'
import type { Handover } from '../transports/transport.ts'
import type { Verdict } from './record-results.ts'

/**
 * The meaning of a handover: for the message, for the integration (`slowDown`), and for everything behind it (`hold`).
 */
export type Judgement = { verdict: Verdict; slowDown: boolean; hold: HoldReason | null }

/** Pauses after the first, second, … attempt that a receiver put off; the last one repeats. */
const DEFERRED_SECONDS = [60, 300, 900, 1_800, 3_600, 7_200, 14_400]
const JITTER = 0.2
/** The provider says "too fast": the pacer slows down, and the message comes again once that shows. */
const THROTTLED_MS = 10_000
/** The server could not be reached, or not be asked. */
const UNSENT_MS = 5_000
/** As soon as the stream is claimed from again, where what stands against it is seen. */
const WITHDRAWN_MS = 0

/**
 * Decides what follows from a handover (reliability, C.3). `attempt` is 1 for the first; the message is given up when it
 * would come again after `expiresInMs`, but never for what its integration did: only its own attempts use up its time.
 */
export function judgeHandover(
  handover: Handover,
  { attempt, expiresInMs, random = Math.random }: { attempt: number; expiresInMs: number; random?: () => number },
): Judgement {
  const calm = (verdict: Verdict): Judgement => ({ verdict, slowDown: false, hold: null })
  switch (handover.outcome) {
    case 'accepted':
      return calm({ verdict: 'accepted', providerMessageId: handover.providerMessageId })
    case 'withdrawn':
      return calm(again(WITHDRAWN_MS, 'withdrawn', null))
    case 'unanswered':
      return calm({ verdict: 'uncertain', reason: 'connection_lost', cause: handover.cause })
    case 'unsent':
      return { ...calm(again(UNSENT_MS * (1 + random()), handover.cause, 'lost')), hold: 'server_unreachable' }
    case 'refused': {
      const delayMs = deferredMs(attempt, random)
      return judgeReply(classifyReply(handover.reply), { delayMs, isLast: delayMs >= expiresInMs, random })
    }
    default:
      return assertNever(handover)
  }
}

function deferredMs(attempt: number, random: () => number): number {
  const seconds = DEFERRED_SECONDS[Math.min(attempt, DEFERRED_SECONDS.length) - 1]!
  return seconds * 1_000 * (1 + JITTER * random())
}

type Timing = { delayMs: number; isLast: boolean; random: () => number }

function judgeReply(kind: ReplyClass, { delayMs, isLast, random }: Timing): Judgement {
  const calm = (verdict: Verdict): Judgement => ({ verdict, slowDown: false, hold: null })
  const failed = (
    reason: Extract<Verdict, { verdict: 'failed' }>['reason'],
    bounce: 'permanent' | 'transient' | null,
  ) => calm({ verdict: 'failed', reason, cause: kind, bounce })
  switch (kind) {
    case 'throttled':
      return { ...calm(again(THROTTLED_MS * (1 + random()), kind, 'throttled')), slowDown: true }
    case 'credentials':
      return { ...calm(again(UNSENT_MS, kind, 'lost')), hold: 'credentials_refused' }
    case 'transient':
    case 'closing':
      // `closing` is about a message, before one it is `throttled`: it counts, or a server that says nothing else would
      // keep a broadcast from its end.
      return isLast
        ? failed('expired', 'transient')
        : calm({
            ...again(delayMs, kind, 'deferred'),
            countsAttempt: true,
            backOffDomain: kind === 'closing',
          })
    case 'mailbox_full':
      return isLast
        ? failed('mailbox_full', 'transient')
        : calm({ ...again(delayMs, kind, 'deferred'), countsAttempt: true })
    case 'address':
      return failed('address_refused', 'permanent')
    case 'address_later':
      return failed('address_refused', 'transient')
    case 'content':
      return failed('content_refused', null)
    case 'policy':
      return failed('policy_refused', null)
    case 'host':
      return failed('host_refused', null)
    case 'protocol':
    case 'accepted':
      // An acceptance where none can be is a server that does not speak SMTP as we do.
      return failed('protocol_refused', null)
    default:
      return assertNever(kind)
  }
}

type Again = Extract<Verdict, { verdict: 'again' }>

function again(afterMs: number, cause: string, log: Again['log']): Again {
  return { verdict: 'again', afterMs, countsAttempt: false, log, cause }
}
