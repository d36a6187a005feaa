import type {
  FastifyBaseLogger,
  FastifyInstance,
  onRequestHookHandler,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import { refuseOtherTypes } from './body-types.ts'
import { isInside } from './call-inside.ts'
import type { RouteFacts } from './http-app.ts'
import { DEADLINE_MS, type InFlight } from './in-flight.ts'
import { toTemplate } from './method-table.ts'
import { refuseFields, takesNoBody } from './refuse-fields.ts'
import { toProblem } from './to-problem.ts'

type LearnRouteDeps = { logger: FastifyBaseLogger; inFlight: InFlight; patience: number }
type RouteSchema = { operationId?: string; body?: { content?: Record<string, unknown> } }

const SECRET_IN_PATH = /:\w*(?:token|key)\b/i
/** The endpoint of agents is one path. */
const INSTRUMENTED = /^\/(?:(?:api|site|collect)\/|mcp$)/

/** Has a declared route keep its deadline, take the body that it names and no other, and be told of with what is known of it. */
export function learnRoute(route: RouteOptions, { logger, inFlight, patience }: LearnRouteDeps): void {
  const schema = route.schema as RouteSchema | undefined
  const facts = factsOf(route, schema?.operationId, patience)
  route.handler = quietWhenLate(route.handler, logger)
  // The framework builds a new object for each look at `request.routeOptions`.
  const tellRoute: onRequestHookHandler = (_request, reply, next) => {
    // A request that another one makes is part of that one.
    reply.route = isInside() ? { ...facts, operation: undefined } : facts
    inFlight.start(reply, facts.deadlineMs)
    next()
  }
  route.onRequest = [tellRoute, ...[route.onRequest ?? []].flat()]
  if (schema?.body?.content) {
    const types = Object.keys(schema.body.content)
    route.preValidation = [refuseOtherTypes(types), ...[route.preValidation ?? []].flat()]
  } else if (takesNoBody(route)) {
    route.preValidation = [refuseFields(route), ...[route.preValidation ?? []].flat()]
  }
}

function factsOf({ url, config }: RouteOptions, operationId: string | undefined, patience: number): RouteFacts {
  const isInstrumented = INSTRUMENTED.test(url) && operationId !== undefined
  return {
    operation: isInstrumented ? { operationId, route: toTemplate(url) } : undefined,
    loggedPath: SECRET_IN_PATH.test(url) ? toTemplate(url) : undefined,
    deadlineMs: (config?.deadlineMs ?? DEADLINE_MS) * patience,
  }
}

/** A handler that is answered for by its deadline has nobody left to tell; what it throws then is told if it is a fault of ours. */
function quietWhenLate(handler: RouteHandlerMethod, logger: FastifyBaseLogger): RouteHandlerMethod {
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
