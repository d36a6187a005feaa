import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type pg from 'pg'
import { isPermission, type Permission } from '../../catalogue/permissions.ts'
import { crossSite, factorNeeded, missingPermission, noSession, notFound } from '../../catalogue/problems.ts'
import { type HttpApp, KNOWN_BODY_BYTES_MAX } from '../../platform/http/http-app.ts'
import { clientIp } from './client-ip.ts'
import { type RequestLimiter, sessionSubject } from './limit-requests.ts'
import { ROLE_PERMISSIONS } from './roles.ts'
import { isSameOrigin } from './same-origin.ts'
import { sessionIdOf } from './session-cookie.ts'
import { type SignedIn, sessionHash, sessionMember, sessionUser } from './sessions.ts'

export type SiteGuardDeps = {
  sql: pg.Pool
  /** The public address, when it is known. */
  appUrl: URL | undefined
}

type GuardDeps = SiteGuardDeps & { limits: RequestLimiter }

const SITE_ROUTE = /^\/(?:site|app)\//
const WORKSPACE_ROUTE = /^\/(?:site\/workspaces|app\/[a-z-]+)\/:slug(\/|$)/

/**
 * Lets a request to a `/site` route, or to a page under `/app`, through when its session may do what the route states:
 * `permission` under `/site/workspaces/:slug` and `/app/<page>/:slug`, a login elsewhere unless `withoutSession`. Sets
 * `request.caller` or `request.session`. Installed before the routes; a workspace route that states no permission stops
 * the start.
 */
export function guardSite(app: HttpApp, deps: GuardDeps): void {
  app.addHook('onRoute', (route) => {
    if (!SITE_ROUTE.test(route.url)) return
    const hooks = [...[route.onRequest ?? []].flat(), refuseOtherSites(deps)]
    const { permission, withoutSession } = route.config ?? {}
    if (WORKSPACE_ROUTE.test(route.url)) {
      if (permission === undefined || (permission !== 'any' && !isPermission(permission))) {
        throw new Error(`${route.method} ${route.url} states no permission of the catalogue`)
      }
      hooks.push(admitMember(deps, permission))
    } else if (!withoutSession) hooks.push(admitUser(deps))
    route.onRequest = hooks
    // The forms of pages are small, whoever fills them in.
    if (!withoutSession && route.url.startsWith('/site/')) route.bodyLimit ??= KNOWN_BODY_BYTES_MAX
  })
}

function refuseOtherSites({ appUrl }: SiteGuardDeps): onRequestAsyncHookHandler {
  return async (request) => {
    if (!isSameOrigin(request.method, request.headers, appUrl?.origin)) throw crossSite()
  }
}

function admitUser(deps: GuardDeps): onRequestAsyncHookHandler {
  return async (request, reply) => {
    refuseSpent(request, reply, deps)
    const signedIn = await signedInBy(request, deps)
    if (signedIn === undefined) throw deps.limits.refuseFailure(clientIp(request), noSession())
    admitSession(reply, deps, signedIn.sessionHash)
    request.session = signedIn
  }
}

/** The sender of a request, if anybody is logged in: for routes that need no login and act on one all the same. */
export async function signedInBy(request: FastifyRequest, deps: SiteGuardDeps): Promise<SignedIn | undefined> {
  const session = presentedSession(request, deps)
  const user = session && (await sessionUser(deps.sql, session))
  return user && { user, sessionHash: session as Buffer }
}

/** Throws 429 for a session whose minute is used up, before it is looked up. */
function refuseSpent(request: FastifyRequest, reply: FastifyReply, deps: GuardDeps): void {
  const session = presentedSession(request, deps)
  const spent = session && deps.limits.refuseSpent(reply, session)
  if (spent) throw spent
}

function admitSession(reply: FastifyReply, { limits }: GuardDeps, session: Buffer): void {
  const spent = limits.admit(reply, 'site', sessionSubject(session))
  if (spent) throw spent
}

/** To somebody who is not a member, the workspace is not there. */
function admitMember(deps: GuardDeps, permission: Permission | 'any'): onRequestAsyncHookHandler {
  return async (request, reply) => {
    refuseSpent(request, reply, deps)
    const session = presentedSession(request, deps)
    const { slug } = request.params as { slug: string }
    const member = session && (await sessionMember(deps.sql, session, slug))
    if (session === undefined || member === undefined) throw deps.limits.refuseFailure(clientIp(request), noSession())
    admitSession(reply, deps, session)
    const { user, workspace } = member
    if (workspace === undefined) throw notFound()
    if (workspace.closed) throw factorNeeded()
    const scopes = ROLE_PERMISSIONS[workspace.role]
    if (permission !== 'any' && !scopes.has(permission)) throw missingPermission(permission)
    const actor = { kind: 'user', id: user.id, name: user.name } as const
    request.caller = { workspaceId: workspace.id, actor, scopes, ...originOf(request) }
  }
}

/** The stored form of the session a request presents, whether it is one or not. */
export function presentedSession(
  request: FastifyRequest,
  { appUrl }: Pick<SiteGuardDeps, 'appUrl'>,
): Buffer | undefined {
  const sessionId = sessionIdOf(request.headers.cookie, appUrl?.protocol === 'https:')
  return sessionId === undefined ? undefined : sessionHash(sessionId)
}

/** Where a request comes from, as sessions and audit entries keep it. */
export function originOf(request: FastifyRequest) {
  return { requestId: request.id, ip: clientIp(request), userAgent: request.headers['user-agent'] ?? null }
}

/** The person of a session, as the log of a workspace has them. */
export function doerOf(request: FastifyRequest) {
  const { user } = request.session
  return {
    by: { actor: { kind: 'user', id: user.id, name: user.name } as const, ...originOf(request) },
    userId: user.id,
  }
}
