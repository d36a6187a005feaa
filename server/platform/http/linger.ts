import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Keeps the connection of a request that is refused for its long body. The framework closes it, and the bytes on their way
 * then meet a closed socket, whose reset takes the answer from a client that is still writing. The rest is read and
 * dropped instead, and the connection goes on; one whose body has not ended after `lingerMs` ends.
 */
export function linger({ raw }: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  reply.removeHeader('connection')
  setTimeout(() => {
    if (!raw.complete) raw.destroy()
  }, lingerMs).unref()
}
