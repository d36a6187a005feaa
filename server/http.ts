import type { AddressInfo } from 'node:net'
import type { Pools } from './app.ts'
import { PROBLEMS } from './catalogue/problems.ts'
import type { Config } from './config.ts'
import { explainListen } from './listen-error.ts'
import { guardSurfaces } from './modules/auth/guard.ts'
import type { Module } from './modules/module.ts'
import { pingForWrites } from './platform/db/ping.ts'
import { serveApiReference } from './platform/http/api-reference.ts'
import { closeHttpServer } from './platform/http/close-server.ts'
import { compressAnswers } from './platform/http/compress-answers.ts'
import { negotiateAnswers } from './platform/http/negotiate.ts'
import { serveOpenApi } from './platform/http/openapi.ts'
import { serveProbes } from './platform/http/probes.ts'
import { serveEtags } from './platform/http/serve-etags.ts'
import { createHttpServer, type HttpApp } from './platform/http/server.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { VERSION } from './version.ts'

const API_INTRODUCTION = `The management API.

- **Authentication**: \`Authorization: Bearer prt_…\`. Each operation names the scope that its token needs.
- **Ids** are 64-bit numbers written as decimal strings. **Times** are RFC 3339 in UTC. An unset field is \`null\`.
- **Lists** take \`page\` and \`pageSize\` (25, at most 1000) and answer with \`totalItems\` and \`totalPages\`; logs take \`cursor\`.
- **Changes** by \`PATCH\` are merged: absent fields stay, \`null\` clears. \`If-Match\` with an \`ETag\` keeps them from overwriting others.
- **Repeats**: each \`POST\` may carry an \`Idempotency-Key\`; sent again under it, it is carried out once.
- **Errors** are RFC 9457 problems with a stable \`code\`; [all of them](/docs/problems).

Paths also answer without the prefix \`/api\`.`

export type HttpDeps = { config: Config; pools: Pools; metrics: Metrics; log: Logger; modules: readonly Module[] }
export type RunningHttp = { address: { host: string; port: number }; close(graceMs: number): Promise<void> }

/** Builds the public server with the routes of all modules and listens. */
export async function startHttp(deps: HttpDeps): Promise<RunningHttp> {
  const app = await createPublicApp(deps)
  const { host, port } = deps.config
  await app.listen({ host, port }).catch((error: unknown) => {
    throw explainListen(`HOST ${host}, PORT ${port}`, error)
  })
  const bound = app.server.address() as AddressInfo
  return { address: { host, port: bound.port }, close: (graceMs) => closeHttpServer(app, graceMs) }
}

async function createPublicApp(deps: HttpDeps): Promise<HttpApp> {
  const { config, pools, metrics, log } = deps
  const app = createHttpServer({
    logger: log,
    trustProxy: config.trustProxy,
    https: config.appUrl?.protocol === 'https:',
    onRequestDone: metrics.httpRequest,
  })
  await compressAnswers(app)
  serveProbes(app, () => pingForWrites(pools.sql))
  serveApiReference(app, Object.values(PROBLEMS))
  await serveOpenApi(app, {
    title: 'Postroom API',
    version: VERSION,
    description: API_INTRODUCTION,
  })
  serveEtags(app)
  guardSurfaces(app, { sql: pools.sql, appUrl: config.appUrl, limits: config.rateLimits })
  await negotiateAnswers(app)
  for (const module of deps.modules) module.beforeRoutes?.(app)
  for (const module of deps.modules) module.routes?.(app)
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs', 302))
  await app.ready()
  return app
}
