import { PERMISSIONS } from '../../server/catalogue/permissions.ts'
import { ROLES } from '../../server/modules/auth/roles.ts'
import { type DeclaredRoute, declaredRoutes, type JsonSchema } from './route-table.ts'

/** Types of the dashboard's requests and answers, made from the schemas that check and write them. */
export const SITE_TYPES = 'dashboard/lib/site-types.ts'

const WORKSPACE = '/site/workspaces/{slug}'
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

type Schema = Omit<JsonSchema, 'items' | 'properties'> & {
  title?: string
  description?: string
  default?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  $id?: string
  $defs?: Record<string, Schema>
}

/** The text of `dashboard/lib/site-types.ts`. Named schemas and operations stand one below the other, by name. */
export async function siteTypes(): Promise<string> {
  const routes = await declaredRoutes()
  const inApi = new Set(routes.filter(({ surface }) => surface === 'api').map(keyOf))
  const site = routes.filter(({ surface }) => surface === 'site').toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const named = new Map<string, string>()
  const operations = site.map((route) => operationText(route, named))
  const types = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const both = site.filter((route) => route.path.startsWith(`${WORKSPACE}/`) && inApi.has(keyOf(route)))
  return `// Written by \`npm run docs\` from the routes of the server; a test holds it to them.

export type Permission =
${PERMISSIONS.map((name) => `  | '${name}'`).join('\n')}

export type Role = ${ROLES.map((role) => `'${role}'`).join(' | ')}

${types.map(([name, text]) => `export type ${name} = ${text}\n`).join('\n')}
/** Operations by method and path; those below a workspace without the path of the workspace. */
export type Operations = {
${operations.join('\n')}
}

/** Operations that programs have too, under \`/api\` and the same path. */
export type ApiOperation =
${both.map((route) => `  | '${keyOf(route)}'`).join('\n')}
`
}

/** `GET /contacts/{contactId}` of either surface; `GET /site/auth/session` of what belongs to no workspace. */
function keyOf({ method, path, surface }: DeclaredRoute): string {
  if (surface === 'api') return `${method} ${path.slice('/api'.length)}`
  if (path === WORKSPACE) return `${method} /`
  return `${method} ${path.startsWith(`${WORKSPACE}/`) ? path.slice(WORKSPACE.length) : path}`
}

function operationText(route: DeclaredRoute, named: Map<string, string>): string {
  const params = Object.keys(route.params?.properties ?? {}).filter((name) => name !== 'slug' || !isInWorkspace(route))
  const query = route.query as Schema | undefined
  const body = route.body as Schema | undefined
  const answers = Object.entries(route.answers)
    .filter(([status]) => status.startsWith('2'))
    .map(([, schema]) => answerText(schema as Schema, named))
  return `  '${keyOf(route)}': {
    params: ${params.length === 0 ? 'undefined' : `{ ${params.map((name) => `${name}: string`).join('; ')} }`}
    query: ${query === undefined ? 'undefined' : objectText(query, named, { defaultsAreOptional: true })}
    body: ${body === undefined ? 'undefined' : typeText(body, named)}
    answer: ${[...new Set(answers)].join(' | ') || 'undefined'}
  }`
}

function isInWorkspace({ path }: DeclaredRoute): boolean {
  return path === WORKSPACE || path.startsWith(`${WORKSPACE}/`)
}

/** Anything that is no JSON comes as text. */
function answerText(schema: Schema, named: Map<string, string>): string {
  if (schema.content) {
    const json = schema.content['application/json']?.schema as Schema | undefined
    return json === undefined ? 'string' : typeText(json, named)
  }
  return typeText(schema, named)
}

function typeText(schema: Schema, named: Map<string, string>): string {
  const { title } = schema
  if (title === undefined || !PLAIN_NAME.test(title)) return shapeText(schema, named)
  if (!named.has(title)) {
    named.set(title, title)
    named.set(title, shapeText(schema, named))
  }
  return title
}

function shapeText(schema: Schema, named: Map<string, string>): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return [...new Set((parts as Schema[]).map((one) => typeText(one, named)))].join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => typeText(one, named)).join(' & ')
  const types = [schema.type ?? 'unknown'].flat()
  return types.map((type) => typeOf(type, schema, named)).join(' | ')
}

function typeOf(type: string, schema: Schema, named: Map<string, string>): string {
  switch (type) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'string':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `Array<${schema.items ? typeText(schema.items, named) : 'unknown'}>`
    case 'object':
      return objectText(schema, named)
    default:
      return 'unknown'
  }
}

function objectText(schema: Schema, named: Map<string, string>, { defaultsAreOptional = false } = {}): string {
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = Object.entries(properties)
  if (fields.length === 0) {
    const values = typeof additionalProperties === 'object' ? typeText(additionalProperties, named) : 'unknown'
    return `Record<string, ${values}>`
  }
  const lines = fields.map(([name, field]) => {
    const optional = !required.includes(name) || (defaultsAreOptional && field.default !== undefined)
    const comment = field.description?.replaceAll('*/', '* /').replaceAll('\n', ' ')
    return `${comment === undefined ? '' : `/** ${comment} */ `}${PLAIN_NAME.test(name) ? name : `'${name}'`}${optional ? '?' : ''}: ${typeText(field, named)}`
  })
  return `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
}
