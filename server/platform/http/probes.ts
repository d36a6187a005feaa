import type { FastifyInstance } from 'fastify'
import { type Clock, systemClock } from '../clock.ts'
import { Problem } from '../problem.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

const OK = { status: 'ok' }
/** Told of as a failure of the database, which a late answer is to whoever probes. */
const LATE_CODE = 'ETIMEDOUT'
/** The database must answer within this; the probe itself then answers within 2 s. */
export const PING_TIMEOUT_MS = 1_500

/**
 * `/healthz` touches nothing; `/readyz` answers 503 while the process drains or `ping` does not succeed in time.
 * `more` is what a ready process has to say beside it. Neither is counted in the request metrics.
 */
export function serveProbes(
  app: FastifyInstance,
  ping: () => Promise<unknown>,
  { more = () => ({}), clock = systemClock }: { more?: () => Record<string, unknown>; clock?: Clock } = {},
): void {
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async () => OK)
  app.get('/readyz', hidden, async () => {
    if (app.draining) throw new Problem(HTTP_PROBLEMS.draining, { headers: { 'retry-after': '1' } })
    const late = Promise.withResolvers<never>()
    const cancel = clock.after(PING_TIMEOUT_MS, () =>
      late.reject(Object.assign(new Error('a probe was not answered in time'), { code: LATE_CODE })),
    )
    try {
      await Promise.race([ping(), late.promise])
    } catch (cause) {
      throw new Problem(HTTP_PROBLEMS.databaseAway, { headers: { 'retry-after': '1' }, cause })
    } finally {
      cancel()
    }
    return { ...OK, ...more() }
  })
}
