import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../problem.ts'
import type { HttpServerOptions } from './http-app.ts'
import { HTTP_PROBLEMS, PROBLEM_MEDIA_TYPE, problemBody } from './http-problems.ts'
import { linger } from './linger.ts'
import { isLostVisitor, sendNothingHere } from './nothing-here-page.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'
import { toProblem } from './to-problem.ts'

type AnswerFaultsDeps = Pick<HttpServerOptions, 'outages'> & { logger: FastifyBaseLogger; lingerMs: number }

/** Answers every fault as a problem, and writes down those of ours. */
export function createFaults({ logger, outages, lingerMs }: AnswerFaultsDeps) {
  /** Answers that an outage has been told with. */
  const counted = new WeakSet<FastifyReply>()
  /** Codes of problems that nothing can be said of but their names, which stand in the lines of their requests. */
  const named = new WeakMap<FastifyReply, string>()
  return {
    isCounted: (reply: FastifyReply) => counted.has(reply),
    problemOf: (reply: FastifyReply) => named.get(reply),
    tell,
    answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const problem = toProblem(error, request.routeOptions.bodyLimit)
      tell(problem, reply)
      if (problem.statusCode === HTTP_PROBLEMS.bodyTooLarge.status || reply.bodyRefused)
        linger(request, reply, lingerMs)
      if (problem.statusCode === 404 && isLostVisitor(request))
        return sendNothingHere(reply.header(REQUEST_ID_HEADER, request.id))
      // A stream that failed before its first byte may have been announced as compressed.
      return reply
        .removeHeader('content-encoding')
        .code(problem.statusCode)
        .headers(problem.headers)
        .header(REQUEST_ID_HEADER, request.id)
        .type(PROBLEM_MEDIA_TYPE)
        .send(problemBody(problem, request.id))
    },
  }

  function tell(problem: Problem, reply: FastifyReply): void {
    if (problem.cause !== undefined && outages?.took(problem.cause, 'requests')) counted.add(reply)
    else if (problem.statusCode === 500 || (problem.statusCode > 500 && problem.cause !== undefined)) {
      const level = problem.statusCode === 500 ? 'error' : 'warn'
      logger[level]({ requestId: reply.request.id, err: problem.cause ?? problem }, problem.title)
    } else if (problem.statusCode > 500) named.set(reply, problem.code)
  }
}
