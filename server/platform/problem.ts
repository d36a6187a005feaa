/** One field at fault: an RFC 6901 pointer into the body (or `/name` of a parameter) and what is wrong with it. */
export type FieldError = { pointer: string; detail: string }

/** The RFC 6901 pointer to a value below the whole: names and positions on the way, outermost first. */
export function pointerTo(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The meaning of a stable problem code; the closed list of them is `catalogue/problems.ts`. */
export type ProblemKind = { readonly code: string; readonly status: number; readonly title: string }

/** Something that needs what a request is about, by its name. */
export type Use = { type: string; id: string; name: string }

type ProblemParts = {
  detail?: string
  errors?: readonly FieldError[]
  headers?: Readonly<Record<string, string>>
  count?: number
  usedBy?: readonly Use[]
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
  /** The number that the caller was wrong about, as it is. */
  readonly count: number | undefined
  readonly usedBy: readonly Use[] | undefined

  constructor(kind: ProblemKind, parts: ProblemParts = {}) {
    super(parts.detail ?? kind.title, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.statusCode = kind.status
    this.code = kind.code
    this.title = kind.title
    this.detail = parts.detail
    this.errors = parts.errors
    this.headers = parts.headers ?? {}
    this.count = parts.count
    this.usedBy = parts.usedBy
  }
}

/** The faults that operations find, whatever they are about; those of HTTP alone are `http/http-problems.ts`. */
export const COMMON_PROBLEMS = {
  invalidRequest: { code: 'invalid-request', status: 400, title: 'The request does not fit the schema' },
  invalidJson: { code: 'invalid-json', status: 400, title: 'The body is not valid JSON' },
  notFound: { code: 'not-found', status: 404, title: 'There is nothing here' },
  preconditionFailed: { code: 'precondition-failed', status: 412, title: 'The resource is not as If-Match says' },
  bodyTooLarge: { code: 'body-too-large', status: 413, title: 'The body is over the size limit' },
  databaseAway: { code: 'database-unavailable', status: 503, title: 'The database does not answer right now' },
} as const satisfies Record<string, ProblemKind>

/** 400 naming each field at fault; `detail` repeats the first so that a log line alone explains it. */
export function invalid(errors: readonly FieldError[]): Problem {
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const where = first?.pointer ? `${first.pointer} ` : 'the request '
  return new Problem(COMMON_PROBLEMS.invalidRequest, {
    errors,
    ...(first ? { detail: `${where}${first.detail}${more}` } : {}),
  })
}

/** The same answer for "does not exist" and "belongs to somebody else". */
export function notFound(): Problem {
  return new Problem(COMMON_PROBLEMS.notFound)
}
