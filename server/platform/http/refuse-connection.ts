import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Problem, type ProblemKind } from '../problem.ts'
import { HTTP_PROBLEMS, PROBLEM_MEDIA_TYPE, problemBody } from './http-problems.ts'
import { newRequestId } from './request-id.ts'

const KINDS: Readonly<Record<string, ProblemKind>> = {
  HPE_HEADER_OVERFLOW: HTTP_PROBLEMS.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: HTTP_PROBLEMS.requestTimeout,
}

/** Answers bytes that are not an HTTP request, or that never became one in time, and ends the connection. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new Problem(KINDS[error.code ?? ''] ?? HTTP_PROBLEMS.malformedRequest)
  const requestId = newRequestId()
  const body = problemBody(problem, requestId)
  const head = [
    `HTTP/1.1 ${problem.statusCode} ${STATUS_CODES[problem.statusCode]}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
