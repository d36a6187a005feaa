import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { ProblemBody } from './answers.ts'
import {
  describeManners,
  mannerProblems,
  mannersOf,
  problemHeaders,
  type RouteManners,
  SHARED_HEADERS,
} from './described-manners.ts'
import { PROBLEM_MEDIA_TYPE } from './http-problems.ts'

export const OPENAPI_PATH = '/api/openapi.json'

export type ApiInfo = { title: string; version: string; description?: string }

type Operation = {
  operationId?: string
  description?: string
  security?: object[]
  parameters?: { required?: boolean; schema?: { default?: unknown } }[]
  responses: Record<string, { description?: string; content?: object; headers?: Record<string, object> }>
  [extension: `x-${string}`]: unknown
}

/** What the schemas of a route cannot say: its scope, and the problems that follow from how it is called. */
type OperationFacts = { scope: string | undefined; problems: readonly number[]; manners: RouteManners }

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Serves OpenAPI 3.1 of all `/api` operations, made from the schemas that validate and serialise them.
 * Must be awaited before the first route is declared.
 */
export async function serveOpenApi(app: FastifyInstance, info: ApiInfo): Promise<void> {
  const facts = new Map<string, OperationFacts>()

  app.addHook('onRoute', (route) => {
    const operationId = (route.schema as { operationId?: string } | undefined)?.operationId
    if (!isApi(route.url) || operationId === undefined || route.method === 'HEAD') return
    facts.set(operationId, factsOf(route))
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [{ url: '/' }],
      components: {
        schemas: { Problem: structuredClone(ProblemBody) as object },
        headers: SHARED_HEADERS as never,
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'prt_…' } },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({ schema: isApi(url) ? schema : { ...schema, hide: true }, url }),
    transformObject: (document) => {
      const openapi = 'openapiObject' in document ? document.openapiObject : {}
      for (const path of Object.values((openapi as { paths?: object }).paths ?? {})) {
        for (const operation of Object.values(path as Record<string, Operation>)) {
          complete(operation, facts.get(operation.operationId ?? ''))
        }
      }
      return openapi
    },
  })

  let document: string | undefined
  app.get(OPENAPI_PATH, { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

function isApi(url: string): boolean {
  return url.startsWith('/api/') && url !== OPENAPI_PATH
}

function factsOf(route: RouteOptions): OperationFacts {
  const schema = (route.schema ?? {}) as { body?: unknown; querystring?: unknown }
  // Sent where none is asked for, a body is still read: it has to be JSON and within the limit.
  const takesBody = METHODS_WITH_BODY.has(String(route.method))
  const hasParameters = route.url.includes(':')
  const follow = [
    ...(takesBody || schema.querystring || hasParameters ? [400] : []),
    401,
    403,
    ...(hasParameters ? [404] : []),
    ...(takesBody ? [413, 415] : []),
    503,
  ]
  const { etag, problems: stated = [] } = route.config ?? {}
  const manners = mannersOf({ method: String(route.method), etag, problems: stated })
  const problems = [...new Set([...follow, ...mannerProblems(manners), ...stated])].sort()
  return { scope: (route.config as { scope?: string } | undefined)?.scope, problems, manners }
}

function complete(operation: Operation, facts: OperationFacts | undefined): void {
  operation.security = [{ bearer: [] }]
  // The schema requires them because the handler always gets them; a caller may leave them out.
  for (const parameter of operation.parameters ?? []) {
    if (parameter.schema?.default !== undefined) parameter.required = false
  }
  if (facts?.scope !== undefined) {
    operation['x-required-scope'] = facts.scope
    const needs = facts.scope === 'any' ? 'Needs any valid token.' : `Needs the scope \`${facts.scope}\`.`
    operation.description = [operation.description, needs].filter(Boolean).join('\n\n')
  }
  if (facts) describeManners(operation, facts.manners)
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (answer.description === UNDESCRIBED) answer.description = phraseOf(status)
  }
  const [mediaType] = PROBLEM_MEDIA_TYPE.split(';')
  for (const status of facts?.problems ?? []) {
    operation.responses[status] = {
      description: phraseOf(status),
      ...problemHeaders(status),
      content: { [mediaType as string]: { schema: { $ref: '#/components/schemas/Problem' } } },
    }
  }
}

/** What the generator says of an answer whose schema says nothing. */
const UNDESCRIBED = 'Default Response'

function phraseOf(status: number | string): string {
  return STATUS_CODES[status] ?? String(status)
}
