import accepts from '@fastify/accepts'
import type { onRequestHookHandler, RouteOptions } from 'fastify'
import { Problem } from '../problem.ts'
import type { HttpApp } from './http-app.ts'
import { HTTP_PROBLEMS, PROBLEM_MEDIA_TYPE } from './http-problems.ts'

const SURFACES = /^\/(?:api|site)\//
const JSON_TYPE = 'application/json'
const [PROBLEM_TYPE = ''] = PROBLEM_MEDIA_TYPE.split(';')

/**
 * Answers 406 when `Accept` allows no form that a route's answer has: JSON, or the types that its
 * schema names; a client that takes problems only is told of problems only. Installed after the guards and before the routes.
 */
export async function negotiateAnswers(app: HttpApp): Promise<void> {
  await app.register(accepts)
  app.addHook('onRoute', (route) => {
    const types = SURFACES.test(route.url) ? typesOf(route) : []
    if (types.length === 0) return
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

type Answer = { type?: unknown; content?: Record<string, unknown> }

/** The media types of the route's successes; none when all of them are empty bodies, which are of no type. */
function typesOf(route: RouteOptions): string[] {
  const { response } = (route.schema ?? {}) as { response?: Record<string, Answer> }
  const successes = Object.entries(response ?? {}).filter(([status]) => status.startsWith('2'))
  if (successes.length === 0) return [JSON_TYPE]
  const types = successes.flatMap(([, { type, content }]) => {
    if (content) return Object.keys(content)
    return type === 'null' ? [] : [JSON_TYPE]
  })
  return [...new Set(types)]
}
