import compress from '@fastify/compress'
import type { RouteOptions } from 'fastify'
import type { HttpApp } from './http-app.ts'

/** Below this a compressed answer is hardly smaller than what its headers add. */
export const COMPRESS_BYTES_MIN = 1_024
/** In the order of our preference among those that a client likes equally: zstd costs least for what it saves. */
const ENCODINGS: ('zstd' | 'br' | 'gzip')[] = ['zstd', 'br', 'gzip']

const SURFACES = /^\/(?:api|site|docs)\//

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route whose answer holds a secret: it is never compressed, because its size would tell (BREACH). */
    secret?: true
  }
}

/**
 * Compresses large answers for clients that accept it. Installed before the routes; hooks that look at answers go
 * before it. Left as they are: answers with an entity tag, which names exact bytes (RFC 9110 section 8.8.3.3), and answers
 * to a cookie that hold a secret or repeat what a form sent.
 */
export async function compressAnswers(app: HttpApp): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!isCompressed(route)) route.compress = false
  })
  await app.register(compress, { threshold: COMPRESS_BYTES_MIN, encodings: ENCODINGS, globalDecompression: false })
}

function isCompressed({ url, method, config }: RouteOptions): boolean {
  if (!SURFACES.test(url) || config?.etag !== undefined || config?.secret === true) return false
  return method === 'GET' || (method === 'POST' && url.startsWith('/api/'))
}
