import { COMMON_PROBLEMS, Problem, type ProblemKind } from '../problem.ts'

/** The faults that a server of HTTP knows, whatever it serves. */
export const HTTP_PROBLEMS = {
  ...COMMON_PROBLEMS,
  malformedRequest: { code: 'malformed-request', status: 400, title: 'The request is not well-formed HTTP' },
  methodNotAllowed: { code: 'method-not-allowed', status: 405, title: 'This path does not offer that method' },
  notAcceptable: { code: 'not-acceptable', status: 406, title: 'The answer has no form that Accept allows' },
  requestTimeout: { code: 'request-timeout', status: 408, title: 'The request took too long to arrive' },
  uriTooLong: { code: 'uri-too-long', status: 414, title: 'The address is too long' },
  unsupportedMediaType: { code: 'unsupported-media-type', status: 415, title: 'This type of body is not taken here' },
  tooManyRequests: { code: 'too-many-requests', status: 429, title: 'Too many requests' },
  headersTooLarge: { code: 'headers-too-large', status: 431, title: 'The headers are over the size limit' },
  internal: { code: 'internal-error', status: 500, title: 'Something broke on our side' },
  deadline: { code: 'deadline-exceeded', status: 503, title: 'The answer took too long; its outcome is unknown' },
  overloaded: { code: 'overloaded', status: 503, title: 'More work is waiting than can be taken on' },
  draining: { code: 'shutting-down', status: 503, title: 'This process is shutting down' },
} as const satisfies Record<string, ProblemKind>

export const overloaded = (retryAfterSeconds: number) =>
  new Problem(HTTP_PROBLEMS.overloaded, { headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) } })

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
    count: problem.count,
    usedBy: problem.usedBy,
    requestId,
  })
}
