import type { Scope } from '../../catalogue/scopes.ts'

/** An operation of the API, as its description has it. */
export type Operation = {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  scope: Scope | 'any'
  takesBody: boolean
}

/**
 * Scopes whose operations an agent may call as they are. None of them has mail go out, erases a person, or belongs to what stands
 * between the workspace and its members, its programs and its providers.
 */
const SCOPES: ReadonlySet<string> = new Set<Scope>([
  ...(['contacts:read', 'contacts:write', 'segments:read', 'segments:write', 'events:read'] as const),
  ...(['broadcasts:read', 'broadcasts:write', 'automations:read', 'automations:write'] as const),
  ...(['templates:read', 'templates:write', 'custom_fields:read', 'custom_fields:write'] as const),
  ...(['sending_domains:read', 'suppressions:read'] as const),
])

/**
 * Of these scopes, what takes many people at once, makes files of them, merges them away, asks them something by mail, takes back
 * that they said no, or changes what mail rests on that a person has approved or a program sends.
 */
const KEPT_BACK =
  /^(?:Exports|Imports|BulkActs|Contacts_(?:export|merge|requestConfirmation)|ContactTopics_set|Unsubscribes_delete|Segments_update|Templates_(?:update|restore)|\w+_export|Messages_content)/

export function isCallable({ scope, operationId }: Pick<Operation, 'scope' | 'operationId'>): boolean {
  return SCOPES.has(scope) && !KEPT_BACK.test(operationId)
}

type Described = {
  operationId: string
  summary?: string
  requestBody?: object
  'x-required-scope'?: string
}
export type ApiDocument = { paths: Record<string, Record<string, Described>> }

export function callableOperations({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, { operationId, summary = '', requestBody, ...rest }]) => ({
        ...{ operationId, path, summary },
        method: method.toUpperCase() as Operation['method'],
        scope: (rest['x-required-scope'] ?? 'any') as Operation['scope'],
        takesBody: requestBody !== undefined,
      }))
      .filter(isCallable),
  )
}

const HITS_MAX = 10

/** Operations that have most of the words, in their names, paths and summaries. */
export function findOperations(operations: readonly Operation[], query: string): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = operations.map((operation) => {
    const text = `${operation.operationId} ${operation.path} ${operation.summary}`.toLowerCase()
    return { operation, found: words.filter((word) => text.includes(word)).length }
  })
  return hits
    .filter(({ found }) => found > 0)
    .sort((one, other) => other.found - one.found)
    .slice(0, HITS_MAX)
    .map(({ operation }) => operation)
}
