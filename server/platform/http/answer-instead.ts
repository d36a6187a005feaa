import type { FastifyReply } from 'fastify'
import { PROBLEM_MEDIA_TYPE, problemBody } from './http-problems.ts'
import { toProblem } from './to-problem.ts'

/** Headers that belong to the answer that is not given. */
const OF_THE_ANSWER = ['content-length', 'etag', 'location'] as const

/** Turns a refusal that is on its way out (`onSend`) into the problem that an error is answered as; the payload of it. */
export function answerInstead(reply: FastifyReply, error: unknown): string {
  const problem = toProblem(error)
  const { request } = reply
  request.log.warn({ requestId: request.id, err: problem.cause ?? problem }, problem.title)
  for (const name of OF_THE_ANSWER) reply.removeHeader(name)
  reply.code(problem.statusCode).headers(problem.headers).type(PROBLEM_MEDIA_TYPE)
  return problemBody(problem, request.id)
}
