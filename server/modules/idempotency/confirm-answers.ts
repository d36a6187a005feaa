import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type pg from 'pg'
import { awaitCommitsSeen } from '../../platform/db/await-commits.ts'
import { answerInstead } from '../../platform/http/answer-instead.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { isOverdue, pauseDeadline } from '../../platform/http/in-flight.ts'

const CHANGING: ReadonlySet<unknown> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Refusals that say how things stand, by which a caller knows that an earlier request took effect. */
const TELLING_REFUSALS: ReadonlySet<number> = new Set([404, 409, 410, 412])
/** How long it may take at least, however little is left of the time for the answer. */
const WITHIN_MS_MIN = 50

type Next = (error?: Error | null, payload?: unknown) => void

/**
 * Has the answer of a request that may change something rest on nothing that a failover can still lose: one that found its
 * change made already, and so wrote nothing, waits as a commit of its own would have (`awaitCommitsSeen`). Those that have
 * recorded an audit entry have committed, and are not delayed. Installed after the guards and before the routes.
 */
export function confirmAnswers(app: HttpApp, sql: pg.Pool): void {
  /** Requests that reached their handler and have committed nothing so far. */
  const unwritten = new WeakSet<FastifyRequest>()

  const begin: preHandlerHookHandler = (request, _reply, next) => {
    unwritten.add(request)
    if (request.caller !== undefined) {
      const { onRecorded } = request.caller
      request.caller = {
        ...request.caller,
        async onRecorded(tx, entry) {
          tx.afterCommit(() => unwritten.delete(request))
          await onRecorded?.(tx, entry)
        },
      }
    }
    next()
  }

  const confirm = (request: FastifyRequest, reply: FastifyReply, _payload: unknown, next: Next) => {
    const isRefusal = TELLING_REFUSALS.has(reply.statusCode)
    const isAcknowledgement = reply.statusCode < 400 || isRefusal
    if (!isAcknowledgement || isOverdue(reply) || !unwritten.delete(request)) return next()
    const deadline = pauseDeadline(reply)
    awaitCommitsSeen(sql, Math.max(deadline.leftMs, WITHIN_MS_MIN))
      .finally(() => deadline.resume())
      // A second error of one request would be answered by the framework, in its own form.
      .then(
        () => next(),
        (error) => (isRefusal ? next(null, answerInstead(reply, error)) : next(error)),
      )
  }

  app.addHook('onRoute', (route) => {
    if (!CHANGING.has(route.method) || route.config?.commitsAlways) return
    route.preHandler = [begin, ...[route.preHandler ?? []].flat()]
    // Before the answer is kept for repeats of the request.
    route.onSend = [confirm, ...[route.onSend ?? []].flat()] as never
  })
}
