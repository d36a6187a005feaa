import type { Provider } from '../../../catalogue/providers.ts'
import { assertNever } from '../../../platform/assert-never.ts'
import type { SendResult } from './record-results.ts'

/** The part of a result that the figures of sending count (docs/guides/metrics.md). */
export type SendOutcome = { provider: Provider; status: 'accepted' | 'error' | 'bounce' }

/**
 * The outcome that a recorded result counts as; undefined for what was no attempt to hand over, and for being asked to
 * slow down, which is no failure. A server that refuses an address for good has bounced the message at once: then the
 * address is at fault, not the sending.
 */
export function sendOutcomeOf({ verdict, provider }: SendResult): SendOutcome | undefined {
  switch (verdict.verdict) {
    case 'accepted':
      return { provider, status: 'accepted' }
    case 'uncertain':
      return { provider, status: 'error' }
    case 'failed': {
      const wasHandedOver = verdict.reason !== 'render_failed' && verdict.reason !== 'compose_failed'
      return wasHandedOver ? { provider, status: verdict.bounce === 'permanent' ? 'bounce' : 'error' } : undefined
    }
    case 'again': {
      const hasFailed = verdict.log === 'deferred' || verdict.log === 'lost'
      return hasFailed ? { provider, status: 'error' } : undefined
    }
    default:
      return assertNever(verdict)
  }
}

/** In one word what follows from a result: `accepted`, `failed`, `uncertain`, `deferred`, `throttled`, `lost` or `waiting`. */
export function resultOf({ verdict }: SendResult): string {
  return verdict.verdict === 'again' ? (verdict.log ?? 'waiting') : verdict.verdict
}
