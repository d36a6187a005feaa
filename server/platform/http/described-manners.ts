import { IDEMPOTENCY_KEY_CHARS_MAX } from './idempotency-key.ts'

type Described = {
  parameters?: object[]
  responses: Record<string, { headers?: Record<string, object> }>
}

/** What of a route decides how it is to be spoken to. */
export type RouteManners = {
  method: string
  /** Whether its answers carry an entity tag. */
  etag: boolean
  /** Whether the tag names the whole answer, so that an unchanged one need not be sent. */
  conditional: boolean
}

const ETAGS = 'Entity tags, as `ETag` of an earlier answer had them, or `*`.'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX, pattern: '^[!-~]+$' },
  description:
    'Chosen by you, new for each request: visible ASCII. A repeat within 24 hours is not carried out again but answered ' +
    'as the first request was, with `Idempotent-Replayed: true`.',
  example: '5f0c6c1e-6d5a-4a52-9f0d-2b1c3f7f7a10',
}
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  schema: { type: 'string' },
  description: `${ETAGS} Nothing is changed, and 412 answered, when the resource is another by now.`,
}
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  schema: { type: 'string' },
  description: `${ETAGS} Answers 304 without a body when the resource is still the same.`,
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })
const ETAG_HEADER = header('Entity tag of the resource as it is in this answer.')
const REPLAYED_HEADER = header('`true` when this answer was recorded for an earlier request with the same key.')

/** Statuses that a route's manners add to those it states itself. */
export function mannerProblems({ method, etag }: Pick<RouteManners, 'method' | 'etag'>): number[] {
  return [406, 429, ...(method === 'POST' ? [400, 409, 422] : []), ...(etag && isChange(method) ? [412] : [])]
}

/** Adds to an operation the headers it heeds and those it answers with. */
export function describeManners(operation: Described, { method, etag, conditional }: RouteManners): void {
  const heeded = [
    ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(etag && isChange(method) ? [IF_MATCH] : []),
    ...(conditional && method === 'GET' ? [IF_NONE_MATCH] : []),
  ]
  if (heeded.length > 0) operation.parameters = [...(operation.parameters ?? []), ...heeded]
  if (conditional && method === 'GET') operation.responses['304'] = { ...NOT_MODIFIED }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) continue
    response.headers = {
      ...(etag && status !== '204' ? { ETag: ETAG_HEADER } : {}),
      ...(method === 'POST' ? { 'Idempotent-Replayed': REPLAYED_HEADER } : {}),
      ...response.headers,
    }
  }
}

const NOT_MODIFIED = { description: 'The resource is as If-None-Match says.', headers: { ETag: ETAG_HEADER } }

function isChange(method: string): boolean {
  return method === 'PATCH' || method === 'PUT' || method === 'DELETE'
}
