import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyRequest, LogController } from 'fastify'
import { asReader } from '../db/pool-places.ts'
import { notFound, Problem } from '../problem.ts'
import { BODY_ROOM, type BodySender, createBodyRoom } from './admit-bodies.ts'
import { createApiAlias } from './alias.ts'
import { createFaults } from './answer-faults.ts'
import { HTTP_LIMITS, type HttpApp, type HttpServerOptions } from './http-app.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'
import { createInFlight, DEADLINE_MS, type InFlight } from './in-flight.ts'
import { takeJsonBodies } from './json-body.ts'
import { learnRoute } from './learn-route.ts'
import { createRequestLog } from './log-request.ts'
import { createMethodTable } from './method-table.ts'
import { refuseConnection } from './refuse-connection.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import { compileSerializer } from './serialization.ts'
import { compileValidator } from './validation.ts'

/** Of a client that was gone before its request was looked at. */
const UNKNOWN_ADDRESS = '0.0.0.0'

type Faults = ReturnType<typeof createFaults>

/**
 * Makes the HTTP server: JSON in and out, strict validation, problems for every fault, request ids, deadlines and limits.
 * Declare routes on it, then `listen`; stop it with `closeHttpServer`.
 */
export function createHttpServer(options: HttpServerOptions): HttpApp {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const { logger, patience = 1, outages } = options
  const faults = createFaults({ logger, lingerMs: limits.lingerMs, ...(outages && { outages }) })
  const { slowMs } = limits
  const inFlight = createInFlight(createRequestLog({ ...options, ...faults, slowMs }))
  const alias = createApiAlias()
  const methods = createMethodTable()
  const nothingAt = (request: FastifyRequest) => {
    const allow = methods.of(request.url)
    return allow === undefined ? notFound() : new Problem(HTTP_PROBLEMS.methodNotAllowed, { headers: { allow } })
  }

  const app = frameworkWith(options, { limits, alias, faults })
  decorate(app, faults)
  takeJsonBodies(app)
  app.addHook('onRoute', (route) => {
    alias.learn(route)
    methods.learn(route)
    learnRoute(route, { logger, inFlight, patience })
  })
  takeRequests(app, { options, inFlight, nothingAt })
  takeBodies(app, { options, inFlight, bodyTimeoutMs: limits.bodyTimeoutMs })
  app.addHook('onClose', async () => inFlight.stop())
  app.addHook('preClose', async () => inFlight.endConnections())
  endUnusedConnectionsOnClose(app)
  app.setNotFoundHandler((request) => {
    throw nothingAt(request)
  })
  app.setErrorHandler((error, request, reply) => faults.answer(error, request, reply))
  return app
}

type Framework = { limits: typeof HTTP_LIMITS; alias: ReturnType<typeof createApiAlias>; faults: Faults }

function frameworkWith(options: HttpServerOptions, { limits, alias, faults }: Framework): HttpApp {
  const app = Fastify({
    // One line a request is written when it ends, with the fields we want. Without a logger of its own the framework
    // neither makes a child logger nor listens for the end a second time; `request.log` is ours all the same.
    logger: false,
    // From the beginning: told of them later, the framework has loaded validators of its own by then.
    schemaController: {
      compilersFactory: {
        buildValidator: () => compileValidator as never,
        buildSerializer: () => compileSerializer as never,
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => options.logger,
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: trustOf(options.trustProxy) as never,
    rewriteUrl: alias.rewrite,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    bodyLimit: limits.openBodyBytesMax,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    // A request without a host is refused by us: Node's own answer has neither a body nor an id.
    http: { headersTimeout: limits.headersTimeoutMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    routerOptions: { maxParamLength: limits.paramCharsMax },
    frameworkErrors: (error, request, reply) => faults.answer(error, request, reply),
    clientErrorHandler: refuseConnection,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.server.maxConnections = limits.connectionsMax
  passOverExpectations(app.server)
  return app
}

/** Declares what requests, answers and the server itself carry beside the framework's: objects of one shape are quicker. */
function decorate(app: HttpApp, faults: Faults): void {
  app.decorate('draining', false)
  app.decorate('takesStreams', false)
  app.decorate('tellFault', faults.tell)
  app.decorateReply('deadlineAt', Number.POSITIVE_INFINITY)
  app.decorateReply('receiving', false)
  app.decorateReply('bodyRefused', false)
  app.decorateReply('route', undefined)
  app.decorateRequest('address', UNKNOWN_ADDRESS)
}

type Taking = { options: HttpServerOptions; inFlight: InFlight; nothingAt: (request: FastifyRequest) => Problem }

/** The first looks at a request, before its body. */
function takeRequests(app: HttpApp, { options, inFlight, nothingAt }: Taking): void {
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
    else if (!namesItsHost(request.raw)) next(new Problem(HTTP_PROBLEMS.malformedRequest))
    else next()
  })
  // Last of these hooks, so that what follows runs within: a body is parsed by none of the methods that only read.
  app.addHook('onRequest', (request, _reply, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') asReader(next)
    else next()
  })
}

type TakingBodies = { options: HttpServerOptions; inFlight: InFlight; bodyTimeoutMs: number }

/** Lets bodies in as far as there is room for them; what a route may take begins when its body is there. */
function takeBodies(app: HttpApp, { options, inFlight, bodyTimeoutMs }: TakingBodies): void {
  const admitBody = createBodyRoom({ room: options.bodyRoom ?? BODY_ROOM, senderOf: options.senderOf ?? byAddress })
  app.addHook('preParsing', (request, reply, payload, next) => {
    inFlight.receive(reply, bodyTimeoutMs)
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

/** A number is that many proxies in front of us. Fastify takes a bare number for a mistake and trusts nobody. */
function trustOf(setting: HttpServerOptions['trustProxy']) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting
}

const byAddress = ({ address }: FastifyRequest): BodySender => ({ sender: address })

/** The framework takes it for a text, though it is none once the connection has ended. */
function addressOf({ ip }: { ip: string | undefined }): string {
  return ip ?? UNKNOWN_ADDRESS
}

/** RFC 9112 section 3.2: once. Of several a proxy in front of us may have taken the other one. */
function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** RFC 9110 section 10.1.1: an expectation that nobody knows may be passed over; Node would refuse it in a form of its own. */
function passOverExpectations(server: HttpApp['server']): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
