import { IDEMPOTENCY_KEY_CHARS_MAX } from './idempotency-key.ts'

type Described = {
  parameters?: object[]
  responses: Record<string, { headers?: Record<string, object> }>
}

/** The traits of a route that decide how it is to be spoken to. */
export type RouteManners = {
  method: string
  /** Whether its answers carry an entity tag. */
  etag: boolean
  /** Whether the tag names the whole answer, so that an unchanged one need not be sent. */
  conditional: boolean
  /** Whether it changes the resource only in the state that `If-Match` names. */
  guarded: boolean
  /** Whether a repeat under the same key is answered as the first request was. */
  idempotent: boolean
}

const ETAGS = 'Entity tags, as `ETag` of an earlier answer had them, or `*`.'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX, pattern: '^[!-~]+$' },
  description:
    'Chosen by you, new for each request: visible ASCII, such as a random UUID. A repeat within 24 hours is not carried out again but answered ' +
    'as the first request was, with `Idempotent-Replayed: true`.',
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
const LOCATION_HEADER = header('Path at which the thing that was made is read.')
const REPLAYED_HEADER = header('`true` when this answer was recorded for an earlier request with the same key.')

/** Headers that many answers have, for the description's components. */
export const SHARED_HEADERS = {
  'RateLimit-Limit': header('Requests a minute that are let through.', 'integer'),
  'RateLimit-Remaining': header('Of them, those that are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until the next minute begins.', 'integer'),
  'RateLimit-Policy': header('The limit and its window in seconds: `1000000;w=60`.'),
  'Retry-After': header('Seconds after which to try again.', 'integer'),
}
const refTo = (name: string) => ({ $ref: `#/components/headers/${name}` })
const RATE_LIMIT = Object.fromEntries(
  Object.keys(SHARED_HEADERS)
    .filter((name) => name.startsWith('RateLimit'))
    .map((name) => [name, refTo(name)]),
)
const RETRY_AFTER = { 'Retry-After': refTo('Retry-After') }

const PRECONDITION_FAILED = 412
const CHANGES: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE'])

type StatedManners = { method: string; etag: unknown; idempotent: boolean; problems: readonly number[] }

/** The manners of a route, from what it states: a tagged resource is changed under a guard, and so is what states a 412. */
export function mannersOf({ method, etag, idempotent, problems }: StatedManners): RouteManners {
  const guarded = problems.includes(PRECONDITION_FAILED) || (etag !== undefined && CHANGES.has(method))
  return { method, etag: etag !== undefined, conditional: etag === true, guarded, idempotent }
}

/** Statuses that a route's manners add to those it states itself. */
export function mannerProblems({ guarded, idempotent }: RouteManners): number[] {
  return [406, 429, ...(idempotent ? [400, 409, 422] : []), ...(guarded ? [PRECONDITION_FAILED] : [])]
}

/** Adds to an operation the headers it heeds and those it answers with. */
export function describeManners(operation: Described, manners: RouteManners): void {
  const { method, etag, conditional, guarded, idempotent } = manners
  const heeded = [
    ...(idempotent ? [IDEMPOTENCY_KEY] : []),
    ...(guarded ? [IF_MATCH] : []),
    ...(conditional && method === 'GET' ? [IF_NONE_MATCH] : []),
  ]
  if (heeded.length > 0) operation.parameters = [...(operation.parameters ?? []), ...heeded]
  if (conditional && method === 'GET') operation.responses['304'] = { ...NOT_MODIFIED }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) continue
    response.headers = {
      ...(etag && status !== '204' ? { ETag: ETAG_HEADER } : {}),
      ...(idempotent ? { 'Idempotent-Replayed': REPLAYED_HEADER } : {}),
      ...RATE_LIMIT,
      ...response.headers,
    }
  }
}

/** Adds to an operation that makes something where that is read: for those whose things can be. */
export function describeLocation({ responses }: Pick<Described, 'responses'>): void {
  const made = responses['201']
  if (made) made.headers = { Location: LOCATION_HEADER, ...made.headers }
}

/** Headers of a problem, where its status says that there are any. */
export function problemHeaders(status: number): object {
  if (status === 429) return { headers: { ...RETRY_AFTER, ...RATE_LIMIT } }
  return status === 503 ? { headers: RETRY_AFTER } : {}
}

const NOT_MODIFIED = { description: 'The resource is as If-None-Match says.', headers: { ETag: ETAG_HEADER } }
