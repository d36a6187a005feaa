import type { FastifyReply, FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify'
import type pg from 'pg'
import { invalidCollectKey, originNotAllowed, tooManyRequests } from '../../catalogue/problems.ts'
import { refuseCoding } from '../../platform/http/content-coding.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { parseJsonBody } from '../../platform/json/exact-json.ts'
import type { Problem } from '../../platform/problem.ts'
import { createLimiter, type Limiter } from '../../platform/rate-limit/limiter.ts'
import { shareRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import { clientIp } from '../auth/client-ip.ts'
import { addressSubject, tellLimit, trackerSubject } from '../auth/limit-requests.ts'
import { isOriginAllowed } from './allowed-origins.ts'
import type { FoundTracker, TrackerFinder } from './find-tracker.ts'
import type { TrackerTally } from './tally-trackers.ts'

/** Requests a minute; 0 is without limit. */
export type CollectLimits = { tracker: number; address: number }

type GuardDeps = { sql: pg.Pool; find: TrackerFinder; limits: CollectLimits; tally: Pick<TrackerTally, 'noteRefusal'> }
type Limits = CollectLimits & { trackers: Limiter; addresses: Limiter }

export const COLLECT_BODY_BYTES_MAX = 512 * 1024
const COLLECT = '/collect/'
const KEY_HEADER = 'x-collect-key'
const PREFLIGHT_SECONDS = 7_200
/** Of Segment's library for browsers: the key as the name of a login, and how often it has tried. */
const SEGMENT_HEADERS = 'authorization, x-retry-count'
/** Fetch standard: what a page may send and read; credentials are never allowed, so that no cookie is of any use here. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': `content-type, ${KEY_HEADER}, ${SEGMENT_HEADERS}`,
  'access-control-max-age': String(PREFLIGHT_SECONDS),
}
const READABLE = 'Retry-After, X-Request-Id'

const trackers = new WeakMap<FastifyRequest, FoundTracker>()

/** The tracker whose key the request showed. */
export function trackerOf(request: object): FoundTracker {
  return trackers.get(request as FastifyRequest)!
}

/**
 * Guards every `/collect` route declared after it. Pages of any origin are answered so that they can read it, but for
 * those that the tracker does not allow. With `config.collect` `tracker` the request shows the key of a tracker, in a header
 * or in its body; a route that states nothing stops the start.
 */
export function guardCollect(app: HttpApp, { sql, find, limits, tally }: GuardDeps): void {
  const limiter = () => createLimiter((minute, uses) => shareRateCounts(sql, minute, uses))
  const counted: Limits = { ...limits, trackers: limiter(), addresses: limiter() }
  app.addHook('onClose', async () => {
    counted.trackers.stop()
    counted.addresses.stop()
  })
  // Which tracker a page will name is not in the question before the request.
  app.options('/collect/*', { schema: { hide: true }, onRequest: allowReading }, (_request, reply) =>
    reply.code(204).headers(PREFLIGHT).send(),
  )
  // Where nothing is, too: a page that cannot read an answer takes it for a network that is down, and goes on asking.
  app.addHook('onSend', (request, reply, _payload, next) => {
    if (request.is404 && request.url.startsWith(COLLECT)) letRead(request, reply)
    next()
  })
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(COLLECT) || route.method === 'OPTIONS') return
    const { collect } = route.config ?? {}
    if (collect === undefined) throw new Error(`${route.method} ${route.url} states no need of its key`)
    route.onRequest = [...[route.onRequest ?? []].flat(), allowReading, admitAddress(counted)]
    route.bodyLimit ??= COLLECT_BODY_BYTES_MAX
    if (collect === 'tracker') {
      route.preValidation = [...[route.preValidation ?? []].flat(), admitTracker({ find, tally }, counted)]
    }
  })
}

/**
 * Declares routes whose bodies are JSON under the type `text/plain` too: such a request of a page is sent without asking
 * before (Fetch standard, CORS-safelisted request-header), also while the page goes away.
 */
export function collectRoutes(app: HttpApp, declare: (app: HttpApp) => void): void {
  app.register(async (scope) => {
    scope.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (request, body: Buffer, parsed) => {
      try {
        refuseCoding(request)
        parsed(null, body.length === 0 ? undefined : parseJsonBody(body))
      } catch (error) {
        parsed(error as Error, undefined)
      }
    })
    declare(scope as HttpApp)
  })
}

const allowReading: onRequestHookHandler = (request, reply, next) => {
  letRead(request, reply)
  next()
}

function letRead(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  reply.header('vary', 'Origin')
  reply.header('cross-origin-resource-policy', 'cross-origin')
  if (origin !== undefined) {
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE)
  }
}

function admitAddress({ addresses, address }: Limits): onRequestHookHandler {
  return (request, _reply, next) => {
    if (address === 0) return next()
    const { allowed, resetSeconds } = addresses.take(`collect-${addressSubject(clientIp(request))}`, address)
    if (allowed) next()
    else next(tooManyRequests(resetSeconds))
  }
}

function admitTracker({ find, tally }: Pick<GuardDeps, 'find' | 'tally'>, limits: Limits): preValidationHookHandler {
  return (request, reply, next) => {
    const key = keyOf(request)
    const found = key === undefined ? undefined : find(key)
    if (found instanceof Promise) found.then((tracker) => refusal(request, reply, tracker)).then(next, next)
    else next(refusal(request, reply, found))
  }

  /** Why the request may not pass; undefined when it may. */
  function refusal(request: FastifyRequest, reply: FastifyReply, tracker: FoundTracker | undefined) {
    if (tracker === undefined) return invalidCollectKey()
    if (!isOriginAllowed(tracker.allowedOrigins, request.headers.origin)) {
      reply.removeHeader('access-control-allow-origin')
      tally.noteRefusal(tracker, request.headers.origin || 'none')
      return originNotAllowed()
    }
    trackers.set(request, tracker)
    return admit(reply, tracker)
  }

  function admit(reply: FastifyReply, { workspaceId, id }: FoundTracker): Problem | undefined {
    if (limits.tracker === 0) return undefined
    return tellLimit(reply, limits.tracker, limits.trackers.take(trackerSubject(workspaceId, id), limits.tracker))
  }
}

/**
 * The key that the request shows, which is one text: one of another form is nobody's. Segment's libraries call it the write key, and some
 * show it as the name of a login without a password.
 */
function keyOf({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): string | undefined {
  const given = headers[KEY_HEADER]
  if (given !== undefined) return String(given)
  const { key, writeKey } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const named = key ?? writeKey ?? loginNameOf(headers.authorization)
  return typeof named === 'string' ? named : undefined
}

/** RFC 7617. */
function loginNameOf(authorization: string | undefined): string | undefined {
  const [, login] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? []
  return login && Buffer.from(login, 'base64').toString().split(':', 1)[0]
}
