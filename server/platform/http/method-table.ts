import type { RouteOptions } from 'fastify'

const PARAMETER = /\/:[^/]+/g
const SPECIAL = /[.*+?^${}()|[\]\\]/g

/** Which methods each registered path offers, for the `Allow` of a 405 (RFC 9110 section 15.5.6). */
export function createMethodTable() {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  return {
    learn(route: RouteOptions): void {
      const pattern = patternOf(route.url)
      const path = paths.get(route.url) ?? { pattern, methods: new Set() }
      for (const method of [route.method].flat()) path.methods.add(method)
      paths.set(route.url, path)
    },
    /** The `Allow` value for a request's target, or undefined when no method at all is offered there. */
    of(url: string): string | undefined {
      const [target = ''] = url.split(/[?#]/)
      const methods = paths
        .values()
        .filter(({ pattern }) => pattern.test(target))
        .flatMap((path) => path.methods)
      const allowed = [...new Set(methods)].sort().join(', ')
      return allowed === '' ? undefined : allowed
    },
  }
}

/** The path as OpenAPI writes it: `/api/contacts/{contactId}/tags`. */
export function toTemplate(url: string): string {
  return url.replaceAll(PARAMETER, (parameter) => `/{${parameter.slice(2)}}`)
}

function patternOf(url: string): RegExp {
  const segments = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replaceAll(SPECIAL, '\\$&')))
  return new RegExp(`^${segments.join('/')}$`)
}
