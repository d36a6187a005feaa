import type { FastifyReply } from 'fastify'

/** Tells when a request is over: answered, if only that its deadline has passed, or left by its client. Nobody wants then that it waits for more. */
export function overSignal(reply: FastifyReply): AbortSignal {
  const over = new AbortController()
  reply.raw.once('close', () => over.abort())
  if (reply.raw.destroyed) over.abort()
  return over.signal
}
