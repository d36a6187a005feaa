import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { PROVIDERS } from '../server/catalogue/providers.ts'
import { SCOPES } from '../server/catalogue/scopes.ts'
import { guardApi } from '../server/modules/auth/guard-api.ts'
import { createRequestLimiter } from '../server/modules/auth/limit-requests.ts'
import { createTokenCache } from '../server/modules/auth/token-cache.ts'
import { EventsBody } from '../server/modules/events/schemas.ts'
import { createHttpServer } from '../server/platform/http/server.ts'
import { createMetrics } from '../server/platform/metrics/metrics.ts'
import { createLimiter } from '../server/platform/rate-limit/limiter.ts'
import { createLogger } from '../server/platform/telemetry/logger.ts'

/* Run by noop.ts: the real HTTP kernel, schema, authentication and metrics around a handler that does nothing. */
const metrics = createMetrics({ version: 'bench', commit: 'bench', providers: PROVIDERS })
const app = createHttpServer({
  logger: createLogger({ level: 'warn' }),
  trustProxy: false,
  https: false,
  onRequestDone: metrics.httpRequest,
})
const facts = {
  workspaceId: '1',
  actor: { kind: 'api_token', id: '1', name: 'bench' } as const,
  scopes: new Set(SCOPES),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ofAgent: false,
}
guardApi(app, {
  tokens: createTokenCache(async () => facts),
  baseUrl: new URL('http://localhost'),
  uses: { note: () => undefined, stop: async () => undefined },
  limits: createRequestLimiter(
    { callers: createLimiter(async () => []), failures: createLimiter(async () => []) },
    { api: 1_000_000_000, site: 0, failures: 0 },
  ),
})
app.post(
  '/api/events',
  {
    schema: { operationId: 'Events_create', body: EventsBody, response: { 204: Type.Null() } },
    config: { scope: 'events:write' },
  },
  async (_request, reply) => reply.code(204).send(null),
)
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('SIGTERM', () => process.exit(0))
console.log((app.server.address() as AddressInfo).port)
