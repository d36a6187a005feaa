import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import { ProblemBody } from './answers.ts'
import {
  describeLocation,
  describeManners,
  mannerProblems,
  mannersOf,
  problemHeaders,
  type RouteManners,
  SHARED_HEADERS,
} from './described-manners.ts'
import { PROBLEM_MEDIA_TYPE } from './http-problems.ts'
import { nameComponents } from './name-components.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a `POST` that heeds `Idempotency-Key`. */
    idempotent?: true
  }
}

/** One of the interfaces that a server has, described by a document of its own. */
export type Surface = {
  /** Of its paths: `/api/`. */
  prefix: string
  info: { title: string; version: string; description?: string }
  /** How a caller shows who they are, by the name of the scheme. */
  security: Record<string, object>
  /** The needs of a route from its caller: extensions of the operation, and a sentence about them. */
  needs(config: FastifyContextConfig): { extensions: Record<`x-${string}`, string>; sentence: string; open?: boolean }
  /** Requests that the server makes itself, as path items of OpenAPI by their name. */
  webhooks?: () => Record<string, object>
}

type Operation = {
  operationId?: string
  description?: string
  security?: object[]
  parameters?: { required?: boolean; schema?: { default?: unknown } }[]
  responses: Record<string, Response>
  [extension: `x-${string}`]: unknown
}

type Response = { $ref?: string; description?: string; content?: object; headers?: Record<string, object> }

/** Facts that the schemas of a route cannot say: its needs, and the problems that follow from how it is called. */
type OperationFacts = {
  needs: ReturnType<Surface['needs']>
  problems: readonly number[]
  manners: RouteManners
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Makes the OpenAPI 3.1 document of a surface, from the schemas that validate and serialise. Must be awaited before the
 * first route is declared; the text is made when it is first asked for.
 */
export async function describeSurface(app: FastifyInstance, surface: Surface): Promise<() => string> {
  const facts = new Map<string, OperationFacts>()
  const decorator = `describe ${surface.prefix}`
  await app.register(swagger, {
    decorator: decorator as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info: surface.info,
      servers: [{ url: '/' }],
      components: {
        schemas: { Problem: structuredClone(ProblemBody) as object },
        headers: SHARED_HEADERS as never,
        securitySchemes: surface.security as never,
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => {
      if (!url.startsWith(surface.prefix)) return { schema: { ...schema, hide: true }, url }
      const { operationId } = (schema ?? {}) as { operationId?: string }
      if (operationId !== undefined) facts.set(operationId, factsOf(route, surface))
      return { schema, url }
    },
    transformObject: (made) => {
      const document = ('openapiObject' in made ? made.openapiObject : {}) as Document
      const paths = Object.entries(document.paths ?? {})
      const places = new Set(paths.flatMap(([name, path]) => ('get' in path ? [placeOf(name)] : [])))
      for (const [name, path] of paths) {
        const isRead = places.has(`${placeOf(name)}/{}`)
        for (const operation of Object.values(path)) {
          complete(operation, facts.get(operation.operationId ?? ''), surface)
          if (isRead) describeLocation(operation)
        }
      }
      const problems = new Set([...facts.values()].flatMap((of) => of.problems))
      document.components.responses = Object.fromEntries([...problems].sort().map((s) => [problemName(s), problem(s)]))
      if (surface.webhooks) document.webhooks = surface.webhooks()
      nameComponents(document)
      return document as never
    },
  })

  let text: string | undefined
  return () => {
    text ??= JSON.stringify((app as unknown as Record<string, () => object>)[decorator]!())
    return text
  }
}

type Document = {
  paths?: Record<string, Record<string, Operation>>
  webhooks?: Record<string, object>
  components: { schemas: Record<string, unknown>; responses?: Record<string, Response> }
}

/** Serves a document that was described. */
export function serveDocument(app: FastifyInstance, path: string, text: () => string): void {
  app.get(path, { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text()),
  )
}

function factsOf(route: RouteOptions, surface: Surface): OperationFacts {
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
  const { etag, idempotent = false, problems: stated = [] } = route.config ?? {}
  const manners = mannersOf({ method: String(route.method), etag, idempotent, problems: stated })
  const problems = [...new Set([...follow, ...mannerProblems(manners), ...stated])].sort()
  return { needs: surface.needs(route.config ?? {}), problems, manners }
}

/** A path whatever its parameters are called. */
const placeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')

function complete(operation: Operation, facts: OperationFacts | undefined, surface: Surface): void {
  operation.security = facts?.needs.open ? [] : Object.keys(surface.security).map((name) => ({ [name]: [] }))
  // The schema requires them because the handler always gets them; a caller may leave them out.
  for (const parameter of operation.parameters ?? []) {
    if (parameter.schema?.default !== undefined) parameter.required = false
  }
  if (facts) {
    Object.assign(operation, facts.needs.extensions)
    operation.description = [operation.description, facts.needs.sentence].filter(Boolean).join('\n\n')
    describeManners(operation, facts.manners)
  }
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (answer.description === UNDESCRIBED) answer.description = phraseOf(status)
  }
  for (const status of facts?.problems ?? []) {
    operation.responses[status] = { $ref: `#/components/responses/${problemName(status)}` }
  }
}

/** The name of the answer with a status that all operations share: `NotFound`. */
function problemName(status: number): string {
  return phraseOf(status).replaceAll(/[^A-Za-z]/g, '')
}

function problem(status: number): Response {
  const [mediaType] = PROBLEM_MEDIA_TYPE.split(';')
  return {
    description: phraseOf(status),
    ...problemHeaders(status),
    content: { [mediaType as string]: { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

/** The generator's description of an answer whose schema has none. */
const UNDESCRIBED = 'Default Response'

function phraseOf(status: number | string): string {
  return STATUS_CODES[status] ?? String(status)
}
