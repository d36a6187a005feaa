import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteHandlerMethod,
} from 'fastify'
import { asReader } from '../db/pool-places.ts'
import { bytesBesideTexts } from '../json/bytes-beside-texts.ts'
import { parseJsonBody, parseLongJsonBody } from '../json/exact-json.ts'
import { notFound, Problem } from '../problem.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import { STARS } from '../telemetry/secret.ts'
import { BODY_ROOM, type BodySender, createBodyRoom } from './admit-bodies.ts'
import { createApiAlias } from './alias.ts'
import { refuseOtherTypes } from './body-types.ts'
import { isInside } from './call-inside.ts'
import { HTTP_PROBLEMS, PROBLEM_MEDIA_TYPE, problemBody } from './http-problems.ts'
import { IDEMPOTENCY_KEY_HEADER } from './idempotency-key.ts'
import { createInFlight, DEADLINE_MS } from './in-flight.ts'
import { JSON_MEDIA_TYPE } from './json-media-type.ts'
import { linger } from './linger.ts'
import { createMethodTable, toTemplate } from './method-table.ts'
import { isLostVisitor, sendNothingHere } from './nothing-here-page.ts'
import { refuseConnection } from './refuse-connection.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import { compileSerializer } from './serialization.ts'
import { toProblem } from './to-problem.ts'
import { compileValidator } from './validation.ts'

/** The application that route files declare their routes on. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** A finished request of an instrumented surface; `route` is the OpenAPI path template. */
export type RequestDone = { operationId: string; route: string; status: number; durationMs: number }

export type HttpServerOptions = {
  logger: FastifyBaseLogger
  /** Whether forwarded-for headers are believed, in the framework's form: a hop count, addresses or networks. */
  trustProxy: boolean | number | string
  /** Whether clients reach this server over https, so that it may insist on it. */
  https: boolean
  onRequestDone: (done: RequestDone) => void
  /** Takes failures that are the database's, which are then not told one by one. */
  outages?: Pick<OutageLog, 'took'>
  /** How many times longer than promised an answer may take. */
  patience?: number
  limits?: Partial<typeof HTTP_LIMITS>
  /** The sender of a request, who has a share of the room for bodies; its network address when absent. */
  senderOf?: (request: FastifyRequest) => BodySender
  bodyRoom?: typeof BODY_ROOM
}

/** A body on a route that has made sure who sends it: `bodyLimit` of that route. */
export const KNOWN_BODY_BYTES_MAX = 1_048_576

export const HTTP_LIMITS = {
  /** A body on any other route: it is parsed before anybody has shown a right to be served. */
  openBodyBytesMax: 16 * 1024,
  headersTimeoutMs: 10_000,
  /** For a body to arrive, on routes that take it as a whole. */
  bodyTimeoutMs: 30_000,
  /** For any request to arrive: the longest `deadlineMs` of a route that reads its body itself, and a little. */
  requestTimeoutMs: 1_820_000,
  keepAliveTimeoutMs: 65_000,
  /** For the rest of a body to arrive that is refused for its length. */
  lingerMs: 5_000,
  connectionsMax: 10_000,
  paramCharsMax: 2_000,
  /** A request slower than this is logged as a warning. */
  slowMs: 1_000,
}

declare module 'fastify' {
  interface FastifyInstance {
    /** True from the moment the process begins to shut down. */
    draining: boolean
    /** Writes down a fault of ours that a page tells in words; one of an outage is counted, as any. */
    tellFault(problem: Problem, reply: FastifyReply): void
  }
  interface FastifyContextConfig {
    /** Longest time this route may take to answer, in ms, when it is not `DEADLINE_MS`. */
    deadlineMs?: number
    /** Statuses of problems the route declares. */
    problems?: readonly number[]
    /** Marks a route whose answer waits for a commit of its own in any case, a repeat's too. */
    commitsAlways?: true
  }
  interface FastifyRequest {
    /** The client's network address, noted while it is there: a connection that has ended does not tell it any more. */
    address: string
  }
  interface FastifyReply {
    /** Facts about the route known before any request; undefined until there is one. */
    route: RouteFacts | undefined
  }
}

type RouteFacts = {
  operation: Pick<RequestDone, 'operationId' | 'route'> | undefined
  /** Of a path that holds a secret: what stands in the log instead. */
  loggedPath: string | undefined
  deadlineMs: number
}

/** Of a client that was gone before its request was looked at. */
const UNKNOWN_ADDRESS = '0.0.0.0'
const SECRET_IN_PATH = /:\w*(?:token|key)\b/i

type RouteSchema = { body?: { content?: Record<string, unknown> } }

/** The endpoint of agents is one path. */
const INSTRUMENTED = /^\/(?:(?:api|site|collect)\/|mcp$)/

/**
 * Makes the HTTP server: JSON in and out, strict validation, problems for every fault, request ids, deadlines and limits.
 * Declare routes on it, then `listen`; stop it with `closeHttpServer`.
 */
export function createHttpServer(options: HttpServerOptions): HttpApp {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const { logger, patience = 1, senderOf = byAddress, bodyRoom = BODY_ROOM } = options
  const alias = createApiAlias()
  const methods = createMethodTable()
  const inFlight = createInFlight(done)
  const admitBody = createBodyRoom({ room: bodyRoom, senderOf })
  /** Answers that an outage has been told with. */
  const counted = new WeakSet<FastifyReply>()

  const app = Fastify({
    // One line a request is written when it ends, with the fields we want. Without a logger of its own the framework
    // neither makes a child logger nor listens for the end a second time; `request.log` is ours all the same.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => logger,
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: trustOf(options.trustProxy) as never,
    rewriteUrl: alias.rewrite,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    bodyLimit: limits.openBodyBytesMax,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    http: { headersTimeout: limits.headersTimeoutMs, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: limits.paramCharsMax },
    frameworkErrors: (error, request, reply) => answerProblem(error, request, reply),
    clientErrorHandler: refuseConnection,
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.server.maxConnections = limits.connectionsMax
  app.decorate('draining', false)
  app.decorate('takesStreams', false)
  app.decorate('tellFault', tellFault)
  app.decorateReply('deadlineAt', Number.POSITIVE_INFINITY)
  app.decorateReply('receiving', false)
  app.decorateReply('bodyRefused', false)
  app.decorateReply('route', undefined)
  app.decorateRequest('bodyHash', undefined)
  app.decorateRequest('address', UNKNOWN_ADDRESS)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_MEDIA_TYPE, { parseAs: 'buffer' }, (request, body: Buffer, parsed) => {
    try {
      if (request.headers[IDEMPOTENCY_KEY_HEADER] !== undefined) request.bodyHash = hash('sha256', body)
      refuseTooMuchStructure(body)
      if (body.length > KNOWN_BODY_BYTES_MAX) {
        setImmediate(() => parseLongJsonBody(body).then((value) => parsed(null, value), parsed))
      } else parsed(null, body.length === 0 ? undefined : parseJsonBody(body))
    } catch (error) {
      parsed(error as Error, undefined)
    }
  })

  app.addHook('onRoute', (route) => {
    alias.learn(route)
    methods.learn(route)
    const operationId = (route.schema as { operationId?: string } | undefined)?.operationId
    const instrumented = INSTRUMENTED.test(route.url) && operationId !== undefined
    const facts: RouteFacts = {
      operation: instrumented ? { operationId, route: toTemplate(route.url) } : undefined,
      loggedPath: SECRET_IN_PATH.test(route.url) ? toTemplate(route.url) : undefined,
      deadlineMs: (route.config?.deadlineMs ?? DEADLINE_MS) * patience,
    }
    route.handler = quietWhenLate(route.handler)
    // The framework builds a new object for each look at `request.routeOptions`.
    const tellRoute: onRequestHookHandler = (_request, reply, next) => {
      // A request that another one makes is part of that one.
      reply.route = isInside() ? { ...facts, operation: undefined } : facts
      inFlight.start(reply, facts.deadlineMs)
      next()
    }
    route.onRequest = [tellRoute, ...[route.onRequest ?? []].flat()]
    const schema = route.schema as RouteSchema | undefined
    if (schema?.body?.content) {
      const types = Object.keys(schema.body.content)
      route.preValidation = [refuseOtherTypes(types), ...[route.preValidation ?? []].flat()]
    }
  })

  const headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(options.https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  app.addHook('onRequest', (request, reply, next) => {
    request.address = addressOf(request)
    inFlight.add(reply)
    reply.headers(headers)
    reply.header(REQUEST_ID_HEADER, request.id)
    if (app.draining) reply.raw.shouldKeepAlive = false
    // Before the body is looked at: what is sent to nowhere need not be well-formed.
    if (request.is404) next(nothingAt(request))
    else if (hasSeveralHosts(request.raw.rawHeaders)) next(new Problem(HTTP_PROBLEMS.malformedRequest))
    else next()
  })
  app.addHook('preParsing', (request, reply, payload, next) => {
    inFlight.receive(reply, limits.bodyTimeoutMs)
    try {
      next(null, admitBody(request, reply, payload as Readable))
    } catch (error) {
      next(error as Problem)
    }
  })
  app.addHook('preValidation', (_request, reply, next) => {
    inFlight.start(reply, reply.route?.deadlineMs ?? DEADLINE_MS)
    next()
  })
  app.addHook('onClose', async () => inFlight.stop())
  app.addHook('preClose', async () => inFlight.endConnections())
  endUnusedConnectionsOnClose(app)

  // Last of these hooks, so that what follows runs within: a body is parsed by none of the methods that only read.
  app.addHook('onRequest', (request, _reply, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') asReader(next)
    else next()
  })

  app.setNotFoundHandler((request) => {
    throw nothingAt(request)
  })
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply))

  return app

  function done(reply: FastifyReply, status: number, durationMs: number): void {
    const operation = reply.route?.operation
    if (operation) options.onRequestDone({ ...operation, status, durationMs })
    // A route that may take longer is slow after half of that.
    const isSlow = durationMs >= Math.max(limits.slowMs, (reply.route?.deadlineMs ?? 0) / 2)
    if (status < 400 && !isSlow) {
      if (logger.level === 'debug' || logger.level === 'trace')
        logger.debug(requestLine(reply, status, durationMs), 'request')
      return
    }
    if (counted.has(reply)) return
    const level = status >= 500 || isSlow ? 'warn' : 'info'
    logger[level](requestLine(reply, status, durationMs), 'request')
  }

  /** A handler that is answered for by its deadline has nobody left to tell; what it throws then is told if it is a fault of ours. */
  function quietWhenLate(handler: RouteHandlerMethod): RouteHandlerMethod {
    return function (this: FastifyInstance, request, reply) {
      const answer: unknown = handler.call(this, request, reply)
      if (!(answer instanceof Promise)) return answer
      return answer.then(
        (payload: unknown) => (reply.sent ? undefined : payload),
        (error: unknown) => {
          if (!reply.sent) throw error
          const problem = toProblem(error)
          if (problem.statusCode === 500) logger.error({ requestId: request.id, err: error }, problem.title)
        },
      )
    }
  }

  function nothingAt(request: FastifyRequest): Problem {
    const allowed = methods.of(request.url)
    return allowed === undefined
      ? notFound()
      : new Problem(HTTP_PROBLEMS.methodNotAllowed, { headers: { allow: allowed } })
  }

  function tellFault(problem: Problem, reply: FastifyReply): void {
    if (problem.cause !== undefined && options.outages?.took(problem.cause, 'requests')) counted.add(reply)
    else if (problem.statusCode >= 500) {
      const level = problem.statusCode === 500 ? 'error' : 'warn'
      logger[level]({ requestId: reply.request.id, err: problem.cause ?? problem }, problem.title)
    }
  }

  function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = toProblem(error, request.routeOptions.bodyLimit)
    tellFault(problem, reply)
    if (problem.statusCode === HTTP_PROBLEMS.bodyTooLarge.status || reply.bodyRefused)
      linger(request, reply, limits.lingerMs)
    if (problem.statusCode === 404 && isLostVisitor(request))
      return sendNothingHere(reply.header(REQUEST_ID_HEADER, request.id))
    // A stream that failed before its first byte may have been announced as compressed.
    return reply
      .removeHeader('content-encoding')
      .code(problem.statusCode)
      .headers(problem.headers)
      .header(REQUEST_ID_HEADER, request.id)
      .type(PROBLEM_MEDIA_TYPE)
      .send(problemBody(problem, request.id))
  }
}

/** A route that takes more than others takes it for long texts: 25 MiB of names and numbers take seconds to parse. */
function refuseTooMuchStructure(body: Buffer): void {
  if (body.length <= KNOWN_BODY_BYTES_MAX || bytesBesideTexts(body, KNOWN_BODY_BYTES_MAX) <= KNOWN_BODY_BYTES_MAX)
    return
  const detail = `Beside its long texts the body may have at most ${KNOWN_BODY_BYTES_MAX / 1_048_576} MiB.`
  throw new Problem(HTTP_PROBLEMS.bodyTooLarge, { detail })
}

/** A number is that many proxies in front of us. Fastify takes a bare number for a mistake and trusts nobody. */
function trustOf(setting: HttpServerOptions['trustProxy']) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting
}

/** A connection that never sent a byte is not idle to Node's `closeIdleConnections`, and would hold up the close. */
function endUnusedConnectionsOnClose(app: HttpApp): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}

/** The query string stays out of the log, it may hold addresses and tokens; and so does a token that is part of a path. */
function requestLine({ request, route }: FastifyReply, status: number, durationMs: number) {
  return {
    requestId: request.id,
    method: request.method,
    path: route === undefined ? unknownPath(request.url) : (route.loggedPath ?? pathOf(request.url)),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    // The network address of somebody who reads a page is nobody's business here.
    ...(request.url.startsWith('/collect/') ? {} : { ip: request.address }),
  }
}

const byAddress = ({ address }: FastifyRequest): BodySender => ({ sender: address })

/** The framework takes it for a text, though it is none once the connection has ended. */
function addressOf({ ip }: { ip: string | undefined }): string {
  return ip ?? UNKNOWN_ADDRESS
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

/** A segment as our own paths have them. */
const PLAIN_SEGMENT = /^[a-z][a-z-]{0,31}$/

/** Of a path that is none of ours, which may be one with a token in it that is mistyped elsewhere. */
function unknownPath(url: string): string {
  const segments = pathOf(url).split('/')
  return segments.map((part) => (part === '' || PLAIN_SEGMENT.test(part) ? part : STARS)).join('/')
}

/** RFC 9112 section 3.2: a proxy in front of us may have taken the other one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
  return hosts > 1
}
