import { randomBytes } from 'node:crypto'
import type { FastifyContextConfig } from 'fastify'
import { composeModules, outgoingClient } from '../../server/compose.ts'
import { readConfig } from '../../server/config.ts'
import { keysOf } from '../../server/encryption-keys.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import type { HttpApp } from '../../server/platform/http/http-app.ts'
import { toTemplate } from '../../server/platform/http/method-table.ts'
import { describeSurface } from '../../server/platform/http/openapi.ts'
import { createHttpServer } from '../../server/platform/http/server.ts'
import { silentLogger } from '../../server/platform/http/testing.ts'
import type { DescribedApi, DescribedBody } from '../../server/samples/described-call.ts'
import { API_SURFACE } from '../../server/surfaces.ts'

/** A JSON schema as far as routes use it. */
export type JsonSchema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  minimum?: number
  format?: string
  /** Of a body that comes in several media types. */
  content?: Record<string, { schema: JsonSchema }>
}

export type DeclaredRoute = {
  method: string
  /** `/api/contacts/{contactId}` */
  path: string
  operationId: string
  surface: 'api' | 'site'
  config: FastifyContextConfig
  body: JsonSchema | undefined
  /** Undefined where it takes no parameters. */
  query: JsonSchema | undefined
  params: JsonSchema | undefined
  /** By status. */
  answers: Record<string, JsonSchema>
}

/** With what is sent to endpoints, by the name of the event. */
export type ApiDocument = DescribedApi & {
  webhooks: Record<string, { post: { description?: string; requestBody: DescribedBody } }>
}

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none'

/** Every route that the modules declare, of both surfaces. Nothing is started and no database is asked. */
export async function declaredRoutes(): Promise<DeclaredRoute[]> {
  const routes: DeclaredRoute[] = []
  const learn = (method: string, url: string, options: Options) => {
    const surface = /^\/(api|site)\//.exec(url)?.[1] as 'api' | 'site' | undefined
    if (surface === undefined || options.schema?.hide) return
    const { operationId = '', body: given, querystring: query, params, response = {} } = options.schema ?? {}
    const hasParameters = Object.keys(query?.properties ?? {}).length > 0
    const body = given?.content?.['application/json']?.schema ?? given
    routes.push({
      method: method.toUpperCase(),
      path: toTemplate(url),
      operationId,
      surface,
      config: options.config ?? {},
      body,
      query: hasParameters ? query : undefined,
      params,
      answers: response,
    })
  }
  await declareAll((app) => {
    app.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) if (method !== 'HEAD') learn(method, route.url, route as Options)
    })
  })
  return routes
}

/** The description of the management API, as `/api/openapi.json` has it. */
export async function declaredApi(): Promise<ApiDocument> {
  let text = () => ''
  await declareAll(async (app) => {
    text = await describeSurface(app, API_SURFACE)
  })
  return JSON.parse(text())
}

/** Declares the routes of all modules on a server that never listens; `prepare` sees it before. */
async function declareAll(prepare: (app: HttpApp) => void | Promise<void>): Promise<void> {
  const config = readConfig({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })
  const pool = createPool({ name: 'sql', url: UNREACHABLE, max: 1 })
  const client = outgoingClient(config)
  const nothing = () => undefined
  const modules = composeModules({
    config,
    pools: { sql: pool, pgx: pool },
    keys: keysOf(config.encryptionKey!),
    client,
    onAttempt: nothing,
    onCommitted: nothing,
    onError: nothing,
  })
  const app = createHttpServer({ logger: silentLogger, trustProxy: false, https: false, onRequestDone: nothing })
  await prepare(app)
  for (const module of modules) module.routes?.(app)
  await app.ready()
  await Promise.all([app.close(), client.close(), pool.end()])
}

type Options = {
  schema?: {
    operationId?: string
    hide?: boolean
    body?: JsonSchema
    querystring?: JsonSchema
    params?: JsonSchema
    response?: Record<string, JsonSchema>
  }
  config?: FastifyContextConfig
}

/** The smallest value that fits a schema, from its examples where it has any. */
export function sampleOf(schema: JsonSchema): unknown {
  const [example] = schema.examples ?? []
  if (example !== undefined) return example
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sampleOf(schema.anyOf[0]!)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = schema
      return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}))
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    default:
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'sample'
  }
}
