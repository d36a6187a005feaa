/** One field at fault: an RFC 6901 pointer into the body (or `/name` of a parameter) and what is wrong with it. */
export type FieldError = { pointer: string; detail: string }

/** The RFC 6901 pointer to a value below the whole: names and positions on the way, outermost first. */
export function pointerTo(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** What a stable problem code means; the closed list of them is `catalogue/problems.ts`. */
export type ProblemKind = { readonly code: string; readonly status: number; readonly title: string }

type ProblemParts = {
  detail?: string
  errors?: readonly FieldError[]
  headers?: Readonly<Record<string, string>>
  cause?: unknown
}

/** An answer in the form of RFC 9457, thrown by whoever finds the fault and written once at the edge. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly statusCode: number
  readonly code: string
  readonly title: string
  readonly detail: string | undefined
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(kind: ProblemKind, parts: ProblemParts = {}) {
    super(parts.detail ?? kind.title, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.statusCode = kind.status
    this.code = kind.code
    this.title = kind.title
    this.detail = parts.detail
    this.errors = parts.errors
    this.headers = parts.headers ?? {}
  }
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8'

/** The body as it is sent. Faults of the server carry no detail: what broke is for the log, not for the caller. */
export function problemBody(problem: Problem, requestId: string): string {
  return JSON.stringify({
    type: `/docs/problems#${problem.code}`,
    title: problem.title,
    status: problem.statusCode,
    detail: problem.statusCode < 500 ? problem.detail : undefined,
    code: problem.code,
    errors: problem.errors,
    requestId,
  })
}

/** The faults that HTTP itself knows, whatever is served. */
export const HTTP_PROBLEMS = {
  invalidRequest: { code: 'invalid-request', status: 400, title: 'The request does not fit the schema' },
  invalidJson: { code: 'invalid-json', status: 400, title: 'The body is not valid JSON' },
  malformedRequest: { code: 'malformed-request', status: 400, title: 'The request is not well-formed HTTP' },
  notFound: { code: 'not-found', status: 404, title: 'There is nothing here' },
  methodNotAllowed: { code: 'method-not-allowed', status: 405, title: 'This path does not offer that method' },
  notAcceptable: { code: 'not-acceptable', status: 406, title: 'The answer has no form that Accept allows' },
  requestTimeout: { code: 'request-timeout', status: 408, title: 'The request took too long to arrive' },
  preconditionFailed: { code: 'precondition-failed', status: 412, title: 'The resource is not as If-Match says' },
  bodyTooLarge: { code: 'body-too-large', status: 413, title: 'The body is over the size limit' },
  uriTooLong: { code: 'uri-too-long', status: 414, title: 'The address is too long' },
  unsupportedMediaType: { code: 'unsupported-media-type', status: 415, title: 'This type of body is not taken here' },
  headersTooLarge: { code: 'headers-too-large', status: 431, title: 'The headers are over the size limit' },
  internal: { code: 'internal-error', status: 500, title: 'Something broke on our side' },
  databaseAway: { code: 'database-unavailable', status: 503, title: 'The database does not answer right now' },
  deadline: { code: 'deadline-exceeded', status: 503, title: 'The answer took too long; its outcome is unknown' },
  overloaded: { code: 'overloaded', status: 503, title: 'More work is waiting than can be taken on' },
  draining: { code: 'shutting-down', status: 503, title: 'This process is shutting down' },
} as const satisfies Record<string, ProblemKind>

/** 400 naming each field at fault; `detail` repeats the first so that a log line alone explains it. */
export function invalid(errors: readonly FieldError[]): Problem {
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const where = first?.pointer ? `${first.pointer} ` : 'the request '
  return new Problem(HTTP_PROBLEMS.invalidRequest, {
    errors,
    ...(first ? { detail: `${where}${first.detail}${more}` } : {}),
  })
}

/** The same answer for "does not exist" and "belongs to somebody else". */
export function notFound(): Problem {
  return new Problem(HTTP_PROBLEMS.notFound)
}
