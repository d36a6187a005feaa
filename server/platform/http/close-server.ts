import type { HttpApp } from './server.ts'

/**
 * Stops accepting connections, lets running requests finish with `Connection: close`, and ends what is still open after
 * `graceMs`. `/readyz` answers 503 from the first moment on.
 */
export async function closeHttpServer(app: HttpApp, graceMs: number): Promise<void> {
  app.draining = true
  const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cutOff)
  }
}
