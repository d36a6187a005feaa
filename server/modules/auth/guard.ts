import type pg from 'pg'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { isWakeOf, subjectOf, type Waker } from '../../platform/jobs/wake.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import { guardApi } from './guard-api.ts'
import { guardSite } from './guard-site.ts'
import { createRequestLimiter, type RequestLimiter, type RequestLimits } from './limit-requests.ts'
import { TOKENS_SIGNAL, tokenByHash, writeTokenUses } from './queries.ts'
import { ROLE_PERMISSIONS } from './roles.ts'
import { createTokenCache, type TokenCache, type TokenFacts } from './token-cache.ts'
import { createTokenUses, type TokenUses } from './token-uses.ts'

export type GuardDeps = {
  sql: pg.Pool
  /** The public address, when it is known: its scheme decides the cookie, its origin is ours. */
  appUrl: URL | undefined
  /** Where clients reach the service. */
  baseUrl: URL
  limits: RequestLimits
  /** Hears of tokens that are revoked: at once what this process does, and what others tell of. Without one an answer just grows old. */
  waker?: Pick<Waker, 'onWake'> | undefined
}

/** Those who judge tokens and count requests in this process. */
export type GuardParts = { tokens: TokenCache; uses: TokenUses; limits: RequestLimiter; stop(): Promise<void> }

export function createGuardParts({ sql, limits: given }: Pick<GuardDeps, 'sql' | 'limits'>): GuardParts {
  const uses = createTokenUses((written) => writeTokenUses(sql, written))
  const limiter = () => createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
  const limits = createRequestLimiter({ callers: limiter(), failures: limiter() }, given)
  return {
    ...{ uses, limits, tokens: createTokenCache((hash) => factsOf(sql, hash)) },
    async stop() {
      limits.stop()
      await uses.stop()
    },
  }
}

/** Guards every `/api` and `/site` route declared after it. */
export function guardSurfaces(app: HttpApp, deps: GuardDeps): void {
  const parts = createGuardParts(deps)
  const unsubscribe = deps.waker?.onWake((signal) => {
    if (isWakeOf(TOKENS_SIGNAL, signal)) parts.tokens.forget(subjectOf(signal))
  })
  app.addHook('onClose', () => {
    unsubscribe?.()
    return parts.stop()
  })
  guardApi(app, { ...parts, baseUrl: deps.baseUrl })
  guardSite(app, { ...deps, limits: parts.limits })
}

async function factsOf(sql: pg.Pool, hash: Buffer): Promise<TokenFacts | undefined> {
  const found = await tokenByHash(sql, hash)
  if (found === undefined) return undefined
  const { workspaceId, id, name, expiresAt, roleOfPerson: role } = found
  return {
    workspaceId,
    actor: { kind: 'api_token', id, name },
    // An agent acts for a person, who may have become less than they were.
    scopes: new Set(found.scopes.filter((scope) => role === null || ROLE_PERMISSIONS[role].has(scope))),
    expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    ofAgent: role !== null,
  }
}
