import type { FastifyRequest } from 'fastify'
import { etagOf, namesTag } from '../etag.ts'
import type { HttpApp } from './http-app.ts'

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

/** The `If-Match` of a request, for the operation that changes the resource. */
export function ifMatchOf(request: FastifyRequest): string | undefined {
  return request.headers['if-match']
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
      namesTag(known.replaceAll('W/', ''), etag)
    ) {
      reply.code(304).removeHeader('content-type')
      next(null, null)
    } else next(null, payload)
  })
}
