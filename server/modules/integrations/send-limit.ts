import type { Integration, SendWarning } from './schemas.ts'

export type SendLimit = Integration['sendLimit']

/** Facts about an integration's limits; null = no limit. */
export type LimitFacts = {
  maxPerSecond: number | null
  maxPerDay: number | null
  quotaPerSecond: number | null
  quotaPerDay: number | null
  /** The provider's count when the quota was read, other senders of the same account included. */
  quotaSent24h: number | null
  /** Whether the last try to read the quota failed. */
  quotaFailed: boolean
  sentLast24h: number
}

/** From this part of a daily limit on the limit is near. */
const NEAR_PART = 0.8

/** The limits that hold, where they come from, and what their owner should know (specification, Integration; decisions 8). */
export function sendLimitOf(facts: LimitFacts): SendLimit {
  const perSecond = lower(facts.maxPerSecond, facts.quotaPerSecond)
  const perDay = lower(facts.maxPerDay, facts.quotaPerDay)
  const warnings: SendWarning[] = []
  if (perSecond.source === 'none' || perDay.source === 'none') warnings.push('unlimited')
  if (facts.quotaFailed) warnings.push('providerQuotaUnavailable')
  const used = Math.max(part(facts.sentLast24h, perDay.limit), part(facts.quotaSent24h ?? 0, facts.quotaPerDay))
  if (used >= 1) warnings.push('dailyLimitReached')
  else if (used >= NEAR_PART) warnings.push('dailyLimitNear')
  return { perSecond, perDay, sentLast24h: facts.sentLast24h, warnings }
}

function lower(manual: number | null, provider: number | null): SendLimit['perDay'] {
  if (manual !== null && (provider === null || manual <= provider)) return { limit: manual, source: 'manual' }
  if (provider !== null) return { limit: provider, source: 'provider' }
  return { limit: null, source: 'none' }
}

/** A limit of nothing is used up from the start: a provider that has blocked an account says 0. */
function part(sent: number, limit: number | null): number {
  if (limit === null) return 0
  return limit === 0 ? 1 : sent / limit
}
