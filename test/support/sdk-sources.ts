import { RECORDED_EVENT } from '../../server/catalogue/domain-events.ts'
import { PROBLEMS } from '../../server/catalogue/problems.ts'
import {
  answerKind,
  bodyExampleOf,
  type DescribedOperation,
  type DescribedParameter,
  listPlace,
} from '../../server/samples/described-call.ts'
import { type ApiDocument, declaredApi } from './route-table.ts'
import { commentText, objectText, type Schema, shapeText, typeText } from './schema-types.ts'
import { SDK_SOURCES } from './sdk-rules.ts'

const WRITTEN = '// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.\n'
/** Types that several families use. */
const SHARED = 'shared'
const EVENTS = 'webhook-events'
/** Types of the runtime that the methods name. */
const CALL_TYPES = ['GuardedOptions', 'Open', 'Options', 'PostOptions', 'Tagged', 'Upload']
const JSON_TYPE = 'application/json'
const CSV_TYPE = 'text/csv'
const REFERENCE = /"\$ref":"#\/components\/schemas\/(\w+)"/g

/** Texts by file: the table of operations, the types and methods of each family, what families share, events, problems. */
export async function sdkSources(): Promise<ReadonlyMap<string, string>> {
  const api = await declaredApi()
  const operations = operationsOf(api)
  const families = [...Map.groupBy(operations, ({ family }) => family)].map(([name, own]) => ({
    name,
    operations: own,
  }))
  const components = api.components.schemas as Record<string, Schema>
  const reach = reachIn(components)
  const asked = reach(operations.map(({ operation }) => operation.requestBody))
  const events = reach(api.webhooks)
  const users = new Map(families.map(({ name, operations: own }) => [name, reach(own.map(partsOf))]))
  const isShared = (name: string) =>
    events.has(name) || [...users.values()].filter((names) => names.has(name)).length > 1
  const text = (name: string) => {
    const form = { commentsApart: true, enumsAreOpen: !asked.has(name), longIntegersAreText: events.has(name) }
    return `export type ${name} = ${shapeText(withoutAnything(components[name]!), form)}\n`
  }
  const typesText = (names: Iterable<string>) => [...names].toSorted().map(text).join('\n')
  const eventTypes = [...events].filter((name) => ![...users.values()].some((names) => names.has(name)))
  const shared = [...new Set([...users.values()].flatMap((names) => [...names]))].filter(isShared)
  const familyTexts = families.map(({ name, operations: own }): [string, string] => {
    const types = [...users.get(name)!].filter((one) => !isShared(one))
    return [fileOf(kebab(name)), familyText({ name, types: typesText(types), operations: own, shared })]
  })
  return new Map([
    [fileOf('operations'), operationsText(operations)],
    [fileOf('client-families'), indexText(families.map(({ name }) => name))],
    [fileOf(SHARED), `${WRITTEN}${imports(typesText(shared), [])}\n${typesText(shared)}`],
    [fileOf(EVENTS), eventsText(api, typesText(eventTypes), shared)],
    [fileOf('problem-codes'), problemsText()],
    ...familyTexts,
  ])
}

const fileOf = (part: string) => `${SDK_SOURCES}/${part}.ts`
const kebab = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
const camel = (name: string) => `${name[0]!.toLowerCase()}${name.slice(1)}`

type Operation = { family: string; verb: string; method: string; path: string; operation: DescribedOperation }

function operationsOf({ paths }: ApiDocument): Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [family = '', verb = ''] = operation.operationId.split('_')
      return { family, verb, method: method.toUpperCase(), path, operation }
    }),
  )
  return all.toSorted((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1))
}

const isSuccess = ([status]: [string, unknown]) => status.startsWith('2')

/** Whatever of an operation the types of its method are made from. */
function partsOf({ operation }: Operation): unknown {
  return [operation.requestBody, operation.parameters, Object.entries(operation.responses).filter(isSuccess)]
}

/** The names of the components that something refers to, over others too. */
function reachIn(components: Record<string, Schema>): (part: unknown) => ReadonlySet<string> {
  return (part) => {
    const found = new Set<string>()
    const visit = (node: unknown) => {
      for (const [, name] of JSON.stringify(node ?? null).matchAll(REFERENCE)) {
        if (found.has(name!)) continue
        found.add(name!)
        visit(components[name!])
      }
    }
    visit(part)
    return found
  }
}

/** An alternative that allows anything says how a faulty item is answered; it is nothing to send. */
function withoutAnything<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutAnything) as T
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, part]) => {
    if (key !== 'anyOf') return [key, withoutAnything(part)]
    return [
      key,
      (part as Schema[]).filter((one) => Object.keys(one).some((word) => word !== 'description')).map(withoutAnything),
    ]
  })
  return Object.fromEntries(entries) as T
}

type Family = { name: string; types: string; operations: readonly Operation[]; shared: readonly string[] }

function familyText({ name, types, operations, shared }: Family): string {
  const methods = operations.map(methodText).map((text) => `  ${text.replaceAll('\n', '\n  ')}`)
  const text = `${types}${types === '' ? '' : '\n'}export interface ${name}Operations {\n${methods.join('\n\n')}\n}\n`
  return `${WRITTEN}${imports(text, shared)}\n${text}`
}

/** Imports of what a text names. */
function imports(text: string, shared: readonly string[]): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//g, '')
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(code)
  const from = (names: readonly string[], file: string) => {
    const used = names.filter(isUsed).toSorted()
    return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${file}'\n`
  }
  return `${from(CALL_TYPES, '../call.ts')}${from(['List'], '../list.ts')}${from(shared, './shared.ts')}`
}

function methodText(one: Operation): string {
  const { operation, verb } = one
  const parameters = operation.parameters ?? []
  const path = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `${name}: string`)
  const query = queryText(parameters)
  const isQueryNeeded = parameters.some((parameter) => parameter.in === 'query' && parameter.required)
  const body = bodyText(operation)
  const given = [
    ...path,
    ...(body === undefined ? [] : [`body${isEmptyAllowed(operation) ? '?' : ''}: ${body}`]),
    ...(query === undefined ? [] : [`query${isQueryNeeded ? '' : '?'}: ${query}`]),
    `options?: ${optionsText(one)}`,
  ]
  const comment = [operation.summary && `${operation.summary}.`, operation.description].filter(Boolean).join(' ')
  return `${commentText(comment, { commentsApart: true })}${verb}(${given.join(', ')}): ${resultText(operation)}`
}

function queryText(parameters: readonly DescribedParameter[]): string | undefined {
  const fields = parameters.filter((parameter) => parameter.in === 'query')
  if (fields.length === 0) return undefined
  const schema = {
    properties: Object.fromEntries(
      fields.map(({ name, description, schema: own }) => [name, { ...own, ...(description ? { description } : {}) }]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
  return objectText(schema, { commentsApart: true })
}

function bodyText({ requestBody }: DescribedOperation): string | undefined {
  if (requestBody === undefined) return undefined
  const json = requestBody.content[JSON_TYPE]
  const forms = [
    ...(json === undefined ? [] : [typeText(json.schema, { commentsApart: true })]),
    ...(CSV_TYPE in requestBody.content ? ['Upload'] : []),
  ]
  return forms.join(' | ')
}

/** The examples that the reference shows tell whether a body with nothing in it is one. */
function isEmptyAllowed({ requestBody }: DescribedOperation): boolean {
  return JSON.stringify(bodyExampleOf(requestBody)) === '{}'
}

function optionsText({ method, operation }: Operation): string {
  const isGuarded = operation.parameters?.some(({ name }) => name === 'If-Match')
  const kinds = [...(method === 'POST' ? ['PostOptions'] : []), ...(isGuarded ? ['GuardedOptions'] : [])]
  return kinds.join(' & ') || 'Options'
}

function resultText(operation: DescribedOperation): string {
  const { schema, isTagged } = answerOf(operation)
  if (answerKind(operation) === 'file') return 'Promise<Response>'
  if (schema === undefined) return 'Promise<void>'
  const type = typeText(schema, {})
  if (listPlace(operation)) return `List<${type}>`
  return `Promise<${isTagged ? `Tagged<${type}>` : type}>`
}

function answerOf(operation: DescribedOperation) {
  const [[, answer] = [undefined, undefined]] = Object.entries(operation.responses).filter(isSuccess)
  const schema = answer?.content?.[JSON_TYPE]?.schema as Schema | undefined
  return {
    schema,
    isTagged: answer?.headers !== undefined && 'ETag' in answer.headers,
  }
}

function operationsText(operations: readonly Operation[]): string {
  const lines = operations.map(({ method, path, operation }) => {
    const query = operation.parameters?.some((parameter) => parameter.in === 'query')
      ? (listPlace(operation) ?? 'query')
      : ''
    const body = operation.requestBody ? 'body' : ''
    const answer = answerKind(operation) === 'file' ? 'file' : ''
    return `  ${operation.operationId}: '${[method, path, body, query, answer].filter(Boolean).join(' ')}',`
  })
  return `${WRITTEN}
/** By operation id: the method, the path, and which of body, query (\`page\` and \`cursor\`: of a list) and file there is. */
export const OPERATIONS = {
${lines.join('\n')}
} as const
`
}

function indexText(names: readonly string[]): string {
  const list = (line: (name: string) => string) => names.map(line).join('\n')
  const files = [...names.map(kebab), EVENTS, SHARED].toSorted()
  return `${WRITTEN}${list((name) => `import type { ${name}Operations } from './${kebab(name)}.ts'`)}

${files.map((file) => `export type * from './${file}.ts'`).join('\n')}

/** A member for each family of operations, with a method for each operation. */
export interface Families {
${list((name) => `  readonly ${camel(name)}: ${name}Operations`)}
}
`
}

function eventsText({ webhooks }: ApiDocument, types: string, shared: readonly string[]): string {
  const deliveries = Object.entries(webhooks).map(([event, { post }]) => {
    const { schema } = post.requestBody.content[JSON_TYPE] as { schema: Schema }
    return { event, name: typeText(schema, {}) }
  })
  const system = deliveries.filter(({ event }) => event !== RECORDED_EVENT)
  const text = `${types}
/** Events that the system delivers under names of its own, by these. */
export interface SystemEvents {
${system.map(({ event, name }) => `  '${event}': ${name}`).join('\n')}
}
`
  return `${WRITTEN}${imports(text, shared)}\n${text}`
}

function problemsText(): string {
  const codes = [...new Set(Object.values(PROBLEMS).map(({ code }) => code))].toSorted()
  return `${WRITTEN}
/** Codes of problems that the server answers with; docs/guides/errors.md explains each. */
export type ProblemCode =
${codes.map((code) => `  | '${code}'`).join('\n')}
`
}
