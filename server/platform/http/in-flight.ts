import type { FastifyReply } from 'fastify'
import { HTTP_PROBLEMS, Problem } from './problem.ts'

/** No answer takes longer than this, whatever its handler waits for: a caller is told 503 within 2 s. */
export const DEADLINE_MS = 1_900
const SWEEP_MS = 50

/**
 * The requests not yet answered. Those that overran their deadline are answered 503; those whose client went away are
 * handed to `onAborted`, because no "finish" will ever come for them.
 * One timer sweeps all of them: a timer and an abort controller for each request, as the framework's `handlerTimeout`
 * makes them, cost more than the rest of the hooks together.
 * A handler that goes on after its deadline may still commit, which is why the problem calls the outcome unknown.
 */
export function createInFlight(onAborted: (reply: FastifyReply) => void) {
  const deadlines = new Map<FastifyReply, number>()

  function sweep(): void {
    const now = performance.now()
    for (const [reply, deadline] of deadlines) {
      if (reply.raw.destroyed && !reply.raw.writableFinished) {
        deadlines.delete(reply)
        onAborted(reply)
      } else if (now >= deadline && !reply.sent) {
        deadlines.set(reply, Number.POSITIVE_INFINITY)
        reply.send(new Problem(HTTP_PROBLEMS.deadline, { headers: { 'retry-after': '1' } }))
      }
    }
  }

  const timer = setInterval(sweep, SWEEP_MS)
  timer.unref()
  return {
    /** Starts the request's clock, or starts it anew. */
    start(reply: FastifyReply, deadlineMs: number): void {
      deadlines.set(reply, performance.now() + deadlineMs)
    },
    /** Stops the clock while the client sends its body, which has a time limit of its own. */
    pause(reply: FastifyReply): void {
      deadlines.set(reply, Number.POSITIVE_INFINITY)
    },
    /** Forgets a request that was answered. */
    stop(reply: FastifyReply): void {
      deadlines.delete(reply)
    },
    /** Makes each connection end with the answer it is waiting for. */
    endConnections(): void {
      for (const reply of deadlines.keys()) reply.raw.shouldKeepAlive = false
    },
    close(): void {
      clearInterval(timer)
    },
  }
}
