import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { HTTP_PROBLEMS, Problem } from './problem.ts'
import type { HttpApp } from './server.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Marks a route to one resource: its answers carry an `ETag`, reads of it heed `If-None-Match`, changes of it heed
     * `If-Match`. A function picks what of the answer makes a version, where other parts move by themselves or are not of
     * the resource: such a tag is good for `If-Match` alone, and reads are always answered whole.
     */
    etag?: true | ((resource: never) => object)
  }
}

/** Entity tag of a resource (RFC 9110 section 8.8.3): strong, the same for the same fields in the same order. */
export function etagOf(resource: object): string {
  return `"${createHash('sha1').update(JSON.stringify(resource)).digest('base64url')}"`
}

/** The `If-Match` of a request, for the operation that changes the resource. */
export function ifMatchOf(request: FastifyRequest): string | undefined {
  return request.headers['if-match']
}

/**
 * Throws 412 unless the caller's `If-Match` names the resource as it is now (RFC 9110 section 13.1.1). Call it in the
 * transaction that changes the row, once the row is locked, with the resource as a read would answer it.
 */
export function requireMatch(ifMatch: string | undefined, current: object): void {
  if (ifMatch === undefined || names(ifMatch, etagOf(current))) return
  throw new Problem(HTTP_PROBLEMS.preconditionFailed, { detail: 'The resource was changed since it was read.' })
}

/** Gives the answers of routes with `config.etag` their entity tag. Installed before the routes. */
export function serveEtags(app: HttpApp): void {
  app.addHook('preSerialization', (request, reply, payload, next) => {
    const { etag: tagged } = request.routeOptions.config
    if (tagged === undefined || reply.statusCode >= 300 || typeof payload !== 'object' || payload === null) {
      next(null, payload)
      return
    }
    const etag = etagOf(tagged === true ? payload : tagged(payload as never))
    reply.header('etag', etag)
    const known = request.headers['if-none-match']
    if (
      tagged === true &&
      (request.method === 'GET' || request.method === 'HEAD') &&
      known !== undefined &&
      names(known.replaceAll('W/', ''), etag)
    ) {
      reply.code(304).removeHeader('content-type')
      next(null, null)
    } else next(null, payload)
  })
}

function names(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some((entry) => entry.trim() === etag)
}
