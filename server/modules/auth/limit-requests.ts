import { hash } from 'node:crypto'
import { tooManyRequests } from '../../catalogue/problems.ts'
import type { Problem } from '../../platform/problem.ts'
import { type Limiter, type Taken, WINDOW_SECONDS } from '../../platform/rate-limit/limiter.ts'
import { networkOf } from './client-ip.ts'

/** Requests a minute; 0 is without limit. */
export type RequestLimits = {
  /** Of one token. */
  api: number
  /** Of one session. */
  site: number
  /** Of one client address, without valid credentials. */
  failures: number
}

export const NO_LIMITS: RequestLimits = { api: 0, site: 0, failures: 0 }

type Reply = { headers(values: Record<string, string>): unknown }

/** Counts requests by who sends them, over all processes, and refuses those beyond the limits. */
export type RequestLimiter = {
  /** Counts a request and tells its answer what is left. A problem when it is one too many. */
  admit(reply: Reply, kind: 'api' | 'site', subject: string): Problem | undefined
  /** A problem when the session's minute is used up, so that it need not be looked up. */
  refuseSpent(reply: Reply, session: Buffer): Problem | undefined
  /** The problem that a request without valid credentials is refused with: the given problem, or 429 after too many of them. */
  refuseFailure(ip: string, problem: Problem): Problem
  stop(): void
}

/** Counters of those who have shown valid credentials, and of addresses, which anybody has as many of as they can get. */
export type Limiters = { callers: Limiter; failures: Limiter }

export function createRequestLimiter({ callers, failures }: Limiters, limits: RequestLimits): RequestLimiter {
  function admit(reply: Reply, kind: 'api' | 'site', subject: string): Problem | undefined {
    const limit = limits[kind]
    if (limit === 0) return undefined
    return tellLimit(reply, limit, callers.take(subject, limit))
  }

  return {
    admit,
    refuseSpent(reply, session) {
      const subject = sessionSubject(session)
      return limits.site > 0 && callers.isSpent(subject, limits.site) ? admit(reply, 'site', subject) : undefined
    },
    refuseFailure(ip, problem) {
      if (limits.failures === 0) return problem
      const { allowed, resetSeconds } = failures.take(addressSubject(ip), limits.failures)
      return allowed ? problem : tooManyRequests(resetSeconds)
    },
    stop() {
      callers.stop()
      failures.stop()
    },
  }
}

/** Tells an answer what is left of a limit. A problem when the request is one too many. */
export function tellLimit(reply: Reply, limit: number, taken: Taken): Problem | undefined {
  const { allowed, remaining, resetSeconds } = taken
  // draft-ietf-httpapi-ratelimit-headers-07: of the forms of that draft the one that clients read.
  reply.headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
    'ratelimit-policy': `${limit};w=${WINDOW_SECONDS}`,
  })
  return allowed ? undefined : tooManyRequests(resetSeconds)
}

export function tokenSubject(workspaceId: string, id: string): string {
  return `token:${workspaceId}:${id}`
}

export function trackerSubject(workspaceId: string, id: string): string {
  return `tracker:${workspaceId}:${id}`
}

export function sessionSubject(session: Buffer): string {
  return `session:${session.toString('base64url')}`
}

/** Addresses are personal: only their hash is kept. */
export function addressSubject(ip: string): string {
  return `address:${hash('sha256', networkOf(ip), 'base64url')}`
}
