import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Problem } from '../problem.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { BODY_ROOM, BodySender } from './admit-bodies.ts'

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

/** Facts about a route that are known before any request. */
export type RouteFacts = {
  operation: Pick<RequestDone, 'operationId' | 'route'> | undefined
  /** Of a path that holds a secret: what stands in the log instead. */
  loggedPath: string | undefined
  deadlineMs: number
}

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
