import { PERMISSIONS } from '../../server/catalogue/permissions.ts'
import { ROLES } from '../../server/modules/auth/roles.ts'
import { type DeclaredRoute, declaredRoutes } from './route-table.ts'
import { objectText, type Schema, typeText } from './schema-types.ts'

/** Types of the dashboard's requests and answers, made from the schemas that check and write them. */
export const SITE_TYPES = 'dashboard/lib/site-types.ts'
export const SITE_TYPES_FOLDER = 'dashboard/lib/site-types'

const WORKSPACE = '/site/workspaces/{slug}'

const WRITTEN = '// Written by `npm run docs` from the routes of the server; a test holds it to them.\n'
const SHARED = 'shared'
const API_OPERATIONS = 'api-operations'

/** Texts by file: one for each first part of a path, with its operations and schemas; those of several; and what leads to all. */
export async function siteTypes(): Promise<ReadonlyMap<string, string>> {
  const routes = await declaredRoutes()
  const inApi = new Set(routes.filter(({ surface }) => surface === 'api').map(keyOf))
  const site = routes.filter(({ surface }) => surface === 'site').toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const parts = [...Map.groupBy(site, partOf)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(describePart)
  const shared = new Map(parts.flatMap(({ named }) => [...named]).filter(([name]) => countOf(parts, name) > 1))
  const both = site.filter((route) => route.path.startsWith(`${WORKSPACE}/`) && inApi.has(keyOf(route)))
  return new Map([
    [SITE_TYPES, indexText(parts)],
    [fileOf(API_OPERATIONS), apiOperationsText(both)],
    [fileOf(SHARED), `${WRITTEN}\n${typesText(shared)}`],
    ...parts.map((part): [string, string] => [fileOf(part.name), partText(part, shared)]),
  ])
}

/** `named`: its schemas by name, those of other parts among them. */
type Part = { name: string; named: ReadonlyMap<string, string>; operations: readonly string[] }

const fileOf = (part: string) => `${SITE_TYPES_FOLDER}/${part}.ts`
const countOf = (parts: readonly Part[], name: string) => parts.filter(({ named }) => named.has(name)).length

/** Collections below another that are a part of their own. */
const PARTS_BELOW: ReadonlySet<string> = new Set([
  ...[
    'backfill',
    'bulk-acts',
    'consents',
    'exports',
    'imports',
    'preflight',
    'publish-preview',
    'recipients',
    'lift',
    'results',
    'revisions',
    'runs',
    'scenarios',
    'simulations',
    'tags',
    'topics',
  ],
])
/** Acts that make an entry of such a collection. */
const MADE_BY = new Map([
  ['simulate', 'simulations'],
  ['backfill-preview', 'backfill'],
  ['run-scenarios', 'scenarios'],
])

/** The first name of a path, or the collection below it. */
function partOf(route: DeclaredRoute): string {
  const path = route.path.startsWith(WORKSPACE) ? route.path.slice(WORKSPACE.length) : route.path.slice('/site'.length)
  const names = path.split('/').slice(1)
  return (
    names.map((name) => MADE_BY.get(name) ?? name).find((name) => PARTS_BELOW.has(name)) ?? (names[0] || 'workspace')
  )
}

function describePart([name, routes]: [string, DeclaredRoute[]]): Part {
  const named = new Map<string, string>()
  return { name, operations: routes.map((route) => operationText(route, named)), named }
}

function partText({ name, named, operations }: Part, shared: ReadonlyMap<string, string>): string {
  const own = new Map([...named].filter(([one]) => !shared.has(one)))
  const text = `${typesText(own)}
export type ${operationsOf(name)} = {
${operations.join('\n')}
}
`
  const used = [...shared.keys()].filter((one) => named.has(one) && new RegExp(`\\b${one}\\b`).test(text)).toSorted()
  const imports = used.length === 0 ? '' : `import type { ${used.join(', ')} } from './${SHARED}.ts'\n`
  return `${WRITTEN}${imports}\n${text}`
}

function typesText(types: ReadonlyMap<string, string>): string {
  const sorted = [...types].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, text]) => `export type ${name} = ${text}\n`).join('\n')
}

function operationsOf(part: string): string {
  return `${part.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Operations`
}

function indexText(parts: readonly Part[]): string {
  const folder = SITE_TYPES_FOLDER.split('/').at(-1)
  return `${WRITTEN}${parts.map(({ name }) => `import type { ${operationsOf(name)} } from './${folder}/${name}.ts'`).join('\n')}

${[API_OPERATIONS, SHARED, ...parts.map(({ name }) => name)].map((name) => `export type * from './${folder}/${name}.ts'`).join('\n')}

export type Permission =
${PERMISSIONS.map((name) => `  | '${name}'`).join('\n')}

export type Role = ${ROLES.map((role) => `'${role}'`).join(' | ')}

/** Operations by method and path; those below a workspace without the path of the workspace. */
export type Operations = ${parts.map(({ name }) => operationsOf(name)).join(' &\n  ')}
`
}

function apiOperationsText(both: readonly DeclaredRoute[]): string {
  return `${WRITTEN}
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
    query: ${query === undefined ? 'undefined' : objectText(query, { named, defaultsAreOptional: true })}
    body: ${body === undefined ? 'undefined' : typeText(body, { named })}
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
    return json === undefined ? 'string' : typeText(json, { named })
  }
  return typeText(schema, { named })
}
