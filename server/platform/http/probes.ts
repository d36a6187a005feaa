import type { FastifyInstance } from 'fastify'
import { Problem } from '../problem.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

const OK = { status: 'ok' }
/** The database must answer within this; the probe itself then answers within 2 s. */
const PING_TIMEOUT_MS = 1_500

/**
 * `/healthz` touches nothing; `/readyz` answers 503 while the process drains or `ping` does not succeed in time.
 * `more` is what a ready process has to say beside it. Neither is counted in the request metrics.
 */
export function serveProbes(
  app: FastifyInstance,
  ping: () => Promise<unknown>,
  more: () => Record<string, unknown> = () => ({}),
): void {
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async () => OK)
  app.get('/readyz', hidden, async () => {
    if (app.draining) throw new Problem(HTTP_PROBLEMS.draining, { headers: { 'retry-after': '1' } })
    const timeout = AbortSignal.timeout(PING_TIMEOUT_MS)
    const late = new Promise((_resolve, reject) => {
      timeout.addEventListener('abort', () => reject(timeout.reason), { once: true })
    })
    try {
      await Promise.race([ping(), late])
    } catch (cause) {
      throw new Problem(HTTP_PROBLEMS.databaseAway, { headers: { 'retry-after': '1' }, cause })
    }
    return { ...OK, ...more() }
  })
}
