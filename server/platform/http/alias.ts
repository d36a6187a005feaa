import type { IncomingMessage } from 'node:http'
import type { RouteOptions } from 'fastify'

const FIRST_SEGMENT = /^\/([^/?#]+)/
const API = /^\/api\/([^/:?#]+)/

/**
 * The alias of the API without its prefix: `/events` is `/api/events`, for the first segment of every registered `/api`
 * route. Paths outside that set are left alone.
 */
export function createApiAlias() {
  const resources = new Set<string>()
  const others = new Set<string>()
  return {
    /** Learns a route. Throws when a path would mean two things. */
    learn(route: RouteOptions): void {
      const resource = API.exec(route.url)?.[1]
      if (resource !== undefined) resources.add(resource)
      else others.add(FIRST_SEGMENT.exec(route.url)?.[1] ?? '')
      const both = [...resources].find((segment) => others.has(segment))
      if (both !== undefined) throw new Error(`/${both} is both a path of its own and the alias of /api/${both}`)
    },
    rewrite(request: IncomingMessage): string {
      const url = request.url ?? '/'
      const end = url.slice(1).search(/[/?#]/)
      const segment = end === -1 ? url.slice(1) : url.slice(1, end + 1)
      return resources.has(segment) ? `/api${url}` : url
    },
  }
}
