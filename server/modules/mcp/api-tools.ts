import { Type } from 'typebox'
import { closed } from '../../platform/schema/schemas.ts'
import { maskPhone, untrusted, untrustedObject } from '../../platform/untrusted-text.ts'
import { type CallOperation, defineTool, Text, type Tool, Untrusted } from '../tool.ts'
import { AGENT_OPERATIONS } from './agent-operations.ts'
import { type ApiDocument, callableOperations, findOperations, type Operation } from './callable-operations.ts'
import { refuse } from './refusal.ts'

const Params = Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 500 })))
const AnyBody = Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }))

/** Everything else that a token may do and an agent may, behind two tools, so that it takes no room in the list of tools. */
export const apiTools: readonly Tool[] = [
  defineTool({
    name: 'api_search',
    title: 'Search the API',
    toolset: 'api',
    needs: [],
    effect: 'reads',
    description: 'Finds operations that no other tool has. postroom://openapi/{operationId} describes one.',
    input: closed({ query: Type.String({ minLength: 1, maxLength: 200 }) }),
    output: Type.Object({
      items: Type.Array(Type.Object({ operationId: Text, method: Text, path: Text, summary: Text, scope: Text })),
    }),
    run: async (call, { query }) => ({ items: findOperations(await operations(call), query) }),
  }),
  defineTool({
    name: 'api_call',
    title: 'Call the API',
    toolset: 'api',
    needs: [],
    effect: 'ends',
    description:
      'Calls an operation of api_search. dryRun is true unless you say false: it then only shows the request. Nothing that sends, erases or exports is here.',
    input: closed({
      operationId: Type.String({ maxLength: 80 }),
      params: Params,
      query: Params,
      body: AnyBody,
      dryRun: Type.Optional(Type.Boolean()),
    }),
    output: Type.Object({ called: Type.Boolean(), request: Text, untrusted: Untrusted }),
    async run(call, { operationId, params = {}, query = {}, body, dryRun = true }) {
      const operation = AGENT_OPERATIONS.has(operationId)
        ? (await operations(call)).find((one) => one.operationId === operationId)
        : undefined
      if (operation === undefined)
        throw refuse('not-found', `Agents have no operation ${operationId}; api_search finds those they have.`)
      const request = `${operation.method} ${pathOf(operation, params)}` as Parameters<CallOperation>[0]
      if (dryRun)
        return { called: false, request: operation.path, untrusted: untrustedObject({ request, query, body }) }
      const answer = await call(request, { query, ...(operation.takesBody ? { body: body ?? {} } : {}) })
      // Any of its answer may be a stranger's.
      const shown = untrusted(withoutPhones(answer ?? null))
      return { called: true, request: operation.path, untrusted: { answer: shown } }
    },
  }),
]

/** Telephone numbers by their field: however somebody wrote them, they are masked as everywhere. */
function withoutPhones(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map(withoutPhones)
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === 'phone' && typeof item === 'string' ? maskPhone(item) : withoutPhones(item),
    ]),
  )
}

async function operations(call: CallOperation): Promise<Operation[]> {
  return callableOperations((await call('GET /api/openapi.json')) as ApiDocument)
}

function pathOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw refuse('invalid-request', `params.${name} is required`)
    return encodeURIComponent(value)
  })
}
