import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { invalidToken, missingScope, noCredentials } from '../../catalogue/problems.ts'
import { AGENT_SCOPES, isScope, type Scope } from '../../catalogue/scopes.ts'
import { isInside } from '../../platform/http/call-inside.ts'
import { type HttpApp, KNOWN_BODY_BYTES_MAX } from '../../platform/http/http-app.ts'
import type { Problem } from '../../platform/problem.ts'
import { clientIp } from './client-ip.ts'
import { type RequestLimiter, tokenSubject } from './limit-requests.ts'
import type { TokenCache, TokenFacts } from './token-cache.ts'
import type { TokenUses } from './token-uses.ts'

// Ours have no spaces, but an operator may preset any text as a token.
const BEARER = /^Bearer +(\S(?:.*\S)?)\s*$/i
const BEYOND_ASCII = /[\x80-\xff]/

/** Where agents call; beside `/api`, with its tokens and its limits. */
export const MCP_PATH = '/mcp'

/** Where a client of agents reads who gives it a token (RFC 9728): the path of the protected one is part of it. */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`

/** `baseUrl`: where clients reach the service. */
type GuardDeps = { tokens: TokenCache; uses: TokenUses; limits: RequestLimiter; baseUrl: URL }

/**
 * Lets a request to an `/api` route, or of an agent, through when its token is valid and carries the route's `config.scope`, and sets
 * `request.caller`. Installed before the routes; a route that states no scope stops the start.
 */
export function guardApi(app: HttpApp, deps: GuardDeps): void {
  app.addHook('onRoute', (route) => {
    if (!isGuarded(route.url, route.schema as { hide?: boolean } | undefined)) return
    const scope = route.config?.scope
    if (scope === undefined || (scope !== 'any' && !isScope(scope))) {
      throw new Error(`${route.method} ${route.url} states no scope of the catalogue`)
    }
    route.onRequest = [...[route.onRequest ?? []].flat(), admit(deps, { scope, forAgents: route.url === MCP_PATH })]
    route.bodyLimit ??= KNOWN_BODY_BYTES_MAX
  })
}

/** The endpoint of agents is no operation of the described API, and has the same guard. */
function isGuarded(url: string, schema: { hide?: boolean } | undefined): boolean {
  return url === MCP_PATH || (url.startsWith('/api/') && !schema?.hide)
}

/** RFC 9728 section 5.1, and the scopes to ask for: a person takes away what is too much. */
function challengeOf(baseUrl: URL): string {
  const metadata = new URL(RESOURCE_METADATA_PATH, baseUrl)
  return `, resource_metadata="${metadata.href}", scope="${AGENT_SCOPES.join(' ')}"`
}

type Guarded = { scope: Scope | 'any'; forAgents: boolean }

function admit({ tokens, uses, limits, baseUrl }: GuardDeps, { scope, forAgents }: Guarded): onRequestHookHandler {
  const challenge = forAgents ? challengeOf(baseUrl) : ''
  return (request, reply, next) => {
    const token = bearerToken(request.headers.authorization)
    // An agent's own token opens its own door alone; what it calls there is called from inside.
    const found = token === undefined ? undefined : tokens.lookUp(token, forAgents || isInside() ? 'agents' : 'api')
    if (token === undefined) next(limits.refuseFailure(clientIp(request), noCredentials(challenge)))
    // A known token is judged at once: a promise for each request would cost as much as the look-up.
    else if (found instanceof Promise) found.then((facts) => refusal(request, reply, facts)).then(next, next)
    else next(refusal(request, reply, found))
  }

  /** Why the request may not pass; undefined, and the caller set, when it may. */
  function refusal(request: FastifyRequest, reply: FastifyReply, facts: TokenFacts | undefined): Problem | undefined {
    if (facts === undefined) return limits.refuseFailure(clientIp(request), invalidToken(challenge))
    const { workspaceId, actor, scopes, ofAgent } = facts
    const spent = limits.admit(reply, 'api', tokenSubject(workspaceId, actor.id))
    if (spent) return spent
    if (scope !== 'any' && !scopes.has(scope)) return missingScope(scope)
    uses.note({ workspaceId, id: actor.id })
    request.caller = {
      workspaceId,
      actor,
      scopes,
      ofAgent,
      requestId: request.id,
      ip: clientIp(request),
      userAgent: request.headers['user-agent'] ?? null,
    }
    return undefined
  }
}

/** Node reads header bytes as Latin-1; a preset token beyond ASCII was sent as UTF-8. */
function bearerToken(header: string | undefined): string | undefined {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
  return token !== undefined && BEYOND_ASCII.test(token) ? Buffer.from(token, 'latin1').toString('utf8') : token
}
