import { databaseOutcome } from '../db/errors.ts'
import { ShareTaken } from '../db/pool-places.ts'
import { Problem, type ProblemKind } from '../problem.ts'
import { HTTP_PROBLEMS, overloaded } from './http-problems.ts'

const RETRY_AFTER_SECONDS = 1

/** The problem an error is answered as: a problem as it is, the framework's refusals by their code, the rest as 500 or 503. `bodyBytesMax`: of the route. */
export function toProblem(error: unknown, bodyBytesMax?: number): Problem {
  if (error instanceof Problem) return error
  // Of a workspace that has its share of the connections: no fault of the database's, nor an outage.
  if (error instanceof ShareTaken) return overloaded(RETRY_AFTER_SECONDS)
  if (databaseOutcome(error) !== undefined) {
    return new Problem(HTTP_PROBLEMS.databaseAway, {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      cause: error,
    })
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const kind = FRAMEWORK[code]
  if (kind === HTTP_PROBLEMS.unsupportedMediaType)
    return new Problem(kind, { detail: 'The body must be JSON.', cause: error })
  if (kind === HTTP_PROBLEMS.bodyTooLarge && bodyBytesMax !== undefined)
    return new Problem(kind, { detail: `The body may have at most ${sizeText(bodyBytesMax)}.`, cause: error })
  return new Problem(kind ?? HTTP_PROBLEMS.internal, { cause: error })
}

const KIB = 1_024

function sizeText(bytes: number): string {
  return bytes >= KIB * KIB ? `${Math.floor(bytes / (KIB * KIB))} MiB` : `${Math.floor(bytes / KIB)} KiB`
}

const FRAMEWORK: Readonly<Record<string, ProblemKind>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: HTTP_PROBLEMS.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: HTTP_PROBLEMS.unsupportedMediaType,
  FST_ERR_CTP_EMPTY_TYPE: HTTP_PROBLEMS.unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: HTTP_PROBLEMS.malformedRequest,
  FST_ERR_BAD_URL: HTTP_PROBLEMS.malformedRequest,
  FST_ERR_MAX_PARAM_LENGTH: HTTP_PROBLEMS.uriTooLong,
  // A client that goes away while it sends its body; nobody reads the answer.
  ECONNRESET: HTTP_PROBLEMS.malformedRequest,
  ERR_STREAM_PREMATURE_CLOSE: HTTP_PROBLEMS.malformedRequest,
}
