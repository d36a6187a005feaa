import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Answer, type Call, send } from '../support/http-client.ts'

export type Operation = {
  operationId: string
  /** `/api/contacts/{contactId}` */
  path: string
  method: string
  scope: string
  takesBody: boolean
  hasParameters: boolean
  /** Names of the query parameters. */
  query: string[]
  /** Statuses of the answers it describes. */
  answers: string[]
  described: DescribedOperation
}

export type DescribedApi = {
  document: Document
  /** With the components in place of the references to them. */
  operations: readonly Operation[]
  /** Sends a request with the instance's own token and holds the answer to the description. */
  call(method: string, path: string, call?: Call): Promise<Answer>
}

export type Document = {
  openapi: string
  paths: Record<string, Record<string, DescribedOperation>>
  [part: string]: unknown
}
type DescribedOperation = {
  operationId: string
  summary?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: object
  responses: Record<string, { content?: Record<string, { schema: object }> }>
  [extension: string]: unknown
}

/** Reads the description that an instance gives of itself, by which its answers are then checked. */
export async function describedApi(instance: { baseUrl: string; token: string }): Promise<DescribedApi> {
  const { json: document } = await send('GET', `${instance.baseUrl}/api/openapi.json`)
  const operations = operationsOf(dereferenced(document))
  const conforms = conformityTo(document)
  return {
    document,
    operations,
    async call(method, path, call = {}) {
      const answer = await send(method, instance.baseUrl + path, { token: instance.token, ...call })
      // `/contacts/imports` is not an id: the path with the fewest parameters is meant.
      const [operation] = operations
        .filter((one) => one.method === method && patternOf(one.path).test(path))
        .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
      assert.ok(operation, `${method} ${path} is not described`)
      conforms(operation, answer)
      return answer
    },
  }
}

/** The document with each component where it is referred to. */
export function dereferenced<T extends object>(document: T): T {
  const made = new Map<string, unknown>()
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if (typeof $ref !== 'string') {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inPlace(part)]))
    }
    if (!made.has($ref)) made.set($ref, inPlace(partAt(document, $ref.slice('#/'.length).split('/'))))
    return made.get($ref)
  }
  return inPlace(document) as T
}

function partAt(document: object, names: readonly string[]): unknown {
  return names.reduce((part: unknown, name) => (part as Record<string, unknown>)[name], document)
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      operationId: described.operationId,
      path,
      method: method.toUpperCase(),
      scope: String(described['x-required-scope']),
      takesBody: described.requestBody !== undefined,
      hasParameters: path.includes('{'),
      query: (described.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name),
      answers: Object.keys(described.responses),
      described,
    })),
  )
}

/** Both forms of a path, with and without `/api`, and any query. */
function patternOf(template: string): RegExp {
  const path = template.replace(/^\/api/, '').replaceAll(/\{[^}]+\}/g, '[^/?]+')
  return new RegExp(`^(/api)?${path}(\\?|$)`)
}

/** Holds an answer to what its operation describes: the status, the media type, every field. */
export function conformityTo(document: Document): (operation: Operation, answer: Answer) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  return (operation, answer) => {
    const where = `${answer.method} ${answer.url} ${answer.status}`
    assert.ok(operation.answers.includes(String(answer.status)), `${where} is not described: ${answer.text}`)
    const own = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(answer.status)]
    const shared = (partAt(document, own) as { $ref?: string }).$ref?.slice('#/'.length).split('/')
    const place = shared ?? own
    const mediaTypes = Object.keys((partAt(document, place) as { content?: object }).content ?? {})
    if (mediaTypes.length === 0 || operation.method === 'HEAD') {
      assert.equal(answer.text, '', where)
      return
    }
    const given = answer.headers['content-type']
    const mediaType = mediaTypes.find((type) => given === `${type}; charset=utf-8`)
    assert.ok(mediaType, `${where} is ${given}`)
    const validate = ajv.getSchema(
      `openapi#/${[...place, 'content', mediaType, 'schema'].map(escapePointer).join('/')}`,
    )
    assert.ok(validate, `${where} has no schema`)
    const said = answer.json === undefined ? answer.text : answer.json
    assert.ok(validate(said), `${where}: ${ajv.errorsText(validate.errors)}\n${answer.text}`)
  }
}

/** RFC 6901 section 3, in a URI fragment. */
function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
