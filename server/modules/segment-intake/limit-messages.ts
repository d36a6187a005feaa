import { tooManyRequests } from '../../catalogue/problems.ts'
import type { Limiter } from '../../platform/rate-limit/limiter.ts'
import { limitIdentities } from '../identity/limit-identities.ts'
import type { IdentitySource } from './collect.ts'

export type IdentityLimits = {
  addresses: Limiter
  /** Apart from addresses, which anybody has many of. */
  trackers: Limiter
  /** Messages a minute that say who somebody is, of one client address and of the programs of one tracker; 0 is without limit. */
  limits: { identify: number; tracker: number }
}

/** Counts each message that says who somebody is. Throws 429 at the first that is too many. */
export function limitMessages(
  { addresses, trackers, limits }: IdentityLimits,
  by: IdentitySource,
  times: number,
): void {
  for (let n = 0; n < times; n++) {
    if ('ip' in by) limitIdentities({ addresses, limit: limits.identify }, by.ip)
    else if (limits.tracker > 0) {
      const { workspaceId, id } = by.tracker
      const { allowed, resetSeconds } = trackers.take(`identify-tracker-${workspaceId}-${id}`, limits.tracker)
      if (!allowed) throw tooManyRequests(resetSeconds)
    }
  }
}
