import { setTimeout as delay } from 'node:timers/promises'
import type { HttpApp } from './http-app.ts'

export type Closing = {
  /** Time for whoever sends requests here to notice: they are still taken and answered, each with `Connection: close`. */
  drainMs?: number
  graceMs: number
}

/**
 * Stops accepting connections, lets running requests finish with `Connection: close`, and ends what is still open after
 * `graceMs`. `/readyz` answers 503 from the first moment on.
 */
export async function closeHttpServer(app: HttpApp, { drainMs = 0, graceMs }: Closing): Promise<void> {
  app.draining = true
  if (drainMs > 0) await delay(drainMs)
  const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cutOff)
  }
}
