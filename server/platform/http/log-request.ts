import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { STARS } from '../telemetry/secret.ts'
import type { HttpServerOptions } from './http-app.ts'
import type { Ended } from './in-flight.ts'

type LogRequestDeps = Pick<HttpServerOptions, 'onRequestDone'> & {
  logger: FastifyBaseLogger
  slowMs: number
  /** Whether an answer was told of already, with the outage that it is one of. */
  isCounted: (reply: FastifyReply) => boolean
  /** The code of a problem of ours that no line of its own tells of. */
  problemOf: (reply: FastifyReply) => string | undefined
}

/** Counts each request that has ended, and writes one line of those that were refused, failed or slow; of all on debug. */
export function createRequestLog({ logger, onRequestDone, slowMs, isCounted, problemOf }: LogRequestDeps): Ended {
  return (reply, status, durationMs) => {
    const operation = reply.route?.operation
    if (operation) onRequestDone({ ...operation, status, durationMs })
    // A route that may take longer is slow after half of that.
    const isSlow = durationMs >= Math.max(slowMs, (reply.route?.deadlineMs ?? 0) / 2)
    if (status < 400 && !isSlow) {
      if (logger.level === 'debug' || logger.level === 'trace')
        logger.debug(requestLine(reply, status, durationMs), 'request')
      return
    }
    if (isCounted(reply)) return
    const level = status >= 500 || isSlow ? 'warn' : 'info'
    const problem = problemOf(reply)
    logger[level]({ ...requestLine(reply, status, durationMs), ...(problem && { problem }) }, 'request')
  }
}

/** The query string stays out of the log, it may hold addresses and tokens; and so does a token that is part of a path. */
function requestLine({ request, route }: FastifyReply, status: number, durationMs: number) {
  return {
    requestId: request.id,
    method: request.method,
    path: route === undefined ? unknownPath(request.url) : (route.loggedPath ?? pathOf(request.url)),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    // The network address of somebody who reads a page is nobody's business here.
    ...(request.url.startsWith('/collect/') ? {} : { ip: request.address }),
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

/** A segment as our own paths have them. */
const PLAIN_SEGMENT = /^[a-z][a-z-]{0,31}$/

/** Of a path that is none of ours, which may be one with a token in it that is mistyped elsewhere. */
function unknownPath(url: string): string {
  const segments = pathOf(url).split('/')
  return segments.map((part) => (part === '' || PLAIN_SEGMENT.test(part) ? part : STARS)).join('/')
}
