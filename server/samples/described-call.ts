/** OpenAPI, as far as samples are made of it. */
export type DescribedApi = {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, object> }
  [part: string]: unknown
}
export type DescribedOperation = {
  operationId: string
  parameters?: DescribedParameter[]
  requestBody?: DescribedBody
  responses: Record<string, { content?: DescribedBody['content']; headers?: object }>
  [part: string]: unknown
}
export type DescribedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  example?: unknown
  schema: { examples?: unknown[]; default?: unknown; enum?: unknown[] }
}
export type DescribedBody = { content: Record<string, DescribedMedia> }
type DescribedMedia = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }

/** A call of an operation with example values, as each language then says it. */
export type Call = {
  operationId: string
  method: string
  /** `/api/contacts/{contactId}` */
  path: string
  /** Of its parts in braces, in their order. */
  params: readonly string[]
  query: readonly (readonly [name: string, value: unknown])[]
  /** Undefined when it takes none. */
  body: unknown
  /** A list, which is read part by part; a file; nothing; one answer. */
  answer: 'list' | 'file' | 'nothing' | 'one'
}

const JSON_TYPE = 'application/json'

export function describedCall(method: string, path: string, operation: DescribedOperation): Call {
  const { operationId, parameters = [], requestBody } = operation
  const isGiven = pickOne(parameters.filter((parameter) => parameter.in === 'query'))
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    params: parameters.filter((parameter) => parameter.in === 'path').map((parameter) => String(exampleOf(parameter))),
    query: parameters.filter(isGiven).map((parameter) => [parameter.name, exampleOf(parameter)] as const),
    body: bodyExampleOf(requestBody),
    answer: answerKind(operation),
  }
}

/** The first example that the reference shows. */
export function bodyExampleOf(body: DescribedBody | undefined): unknown {
  const { example, examples = {} } = body?.content[JSON_TYPE] ?? {}
  return example ?? Object.values(examples)[0]?.value
}

/** Parameters that must be there, or else one that shows how. */
function pickOne(fields: readonly DescribedParameter[]): (parameter: DescribedParameter) => boolean {
  const shown = fields.find(({ required }) => required) ?? fields.find(({ example }) => example !== undefined)
  return (parameter) => parameter.in === 'query' && (parameter.required === true || parameter === shown)
}

function exampleOf({ example, schema }: DescribedParameter): unknown {
  return example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? schema.default ?? 1
}

export function answerKind(operation: DescribedOperation): Call['answer'] {
  if (listPlace(operation)) return 'list'
  const [[, answer] = [undefined, undefined]] = Object.entries(operation.responses).filter(([s]) => s.startsWith('2'))
  if (answer?.content === undefined) return 'nothing'
  return JSON_TYPE in answer.content ? 'one' : 'file'
}

/** The field of the query by which the next part of a list is asked for. */
export function listPlace({ parameters = [] }: DescribedOperation): 'page' | 'cursor' | undefined {
  const names = parameters.map(({ name }) => name)
  const isInParts = names.includes('pageSize') || names.includes('limit')
  return isInParts ? (['page', 'cursor'] as const).find((name) => names.includes(name)) : undefined
}

/** The path with its example values, and the query behind it. */
export function addressOf({ path, params, query }: Call): string {
  let n = 0
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(params[n++] ?? ''))
  const search = query.map(([name, value]): [string, string] => [name, String(value)])
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(search)}`
}
