import type { Scope } from '../../catalogue/scopes.ts'
import { AGENT_OPERATIONS } from './agent-operations.ts'

/** An operation of the API, as its description has it. */
export type Operation = {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  scope: Scope | 'any'
  takesBody: boolean
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
      .filter(({ operationId }) => AGENT_OPERATIONS.has(operationId)),
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
