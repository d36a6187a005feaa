import { tooManyRequests } from '../../catalogue/problems.ts'
import type { Limiter } from '../../platform/rate-limit/limiter.ts'
import { addressSubject } from '../auth/limit-requests.ts'

/** Counts that an address says who somebody is. Throws 429; a limit of 0 is none. */
export function limitIdentities({ addresses, limit }: { addresses: Limiter; limit: number }, ip: string): void {
  if (limit === 0) return
  const { allowed, resetSeconds } = addresses.take(`identify-${addressSubject(ip)}`, limit)
  if (!allowed) throw tooManyRequests(resetSeconds)
}
