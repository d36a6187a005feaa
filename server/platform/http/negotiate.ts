import accepts from '@fastify/accepts'
import type { onRequestHookHandler, RouteOptions } from 'fastify'
import { HTTP_PROBLEMS, PROBLEM_MEDIA_TYPE, Problem } from './problem.ts'
import type { HttpApp } from './server.ts'

const SURFACES = /^\/(?:api|site)\//
const JSON_TYPE = 'application/json'
const [PROBLEM_TYPE = ''] = PROBLEM_MEDIA_TYPE.split(';')

/**
 * Answers 406 when `Accept` allows no form that a route's answer has: JSON, or what its schema says it `produces`; a
 * client that takes problems only is told of problems only. Installed after the guards and before the routes.
 */
export async function negotiateAnswers(app: HttpApp): Promise<void> {
  await app.register(accepts)
  app.addHook('onRoute', (route) => {
    if (!SURFACES.test(route.url) || answersNothing(route)) return
    const types = (route.schema as { produces?: string[] } | undefined)?.produces ?? [JSON_TYPE]
    route.onRequest = [...[route.onRequest ?? []].flat(), refuseOthers(types)]
  })
}

function refuseOthers(types: readonly string[]): onRequestHookHandler {
  const offered = [...types, PROBLEM_TYPE].flatMap((type) => [type, `${type}; charset=utf-8`])
  return (request, _reply, next) => {
    const { accept } = request.headers
    if (accept === undefined || accept === '*/*' || accept === types[0]) next()
    else if (request.accepts().type(offered)) next()
    else next(new Problem(HTTP_PROBLEMS.notAcceptable, { detail: `The answer is ${types.join(' or ')}.` }))
  }
}

/** Whether every success of the route is an empty body, which is of no type. */
function answersNothing(route: RouteOptions): boolean {
  const { response } = (route.schema ?? {}) as { response?: Record<string, { type?: unknown }> }
  const successes = Object.entries(response ?? {}).filter(([status]) => status.startsWith('2'))
  return successes.length > 0 && successes.every(([, schema]) => schema.type === 'null')
}
