import type { AddressInfo } from 'node:net'
import type { Pools } from './app.ts'
import { PROBLEMS } from './catalogue/problems.ts'
import { baseUrlOf } from './compose-sending.ts'
import type { Config } from './config.ts'
import { explainListen } from './listen-error.ts'
import { bodySenderOf } from './modules/auth/body-sender.ts'
import { guardSurfaces } from './modules/auth/guard.ts'
import type { Module } from './modules/module.ts'
import { pingForWrites } from './platform/db/ping.ts'
import type { EpochGuard } from './platform/epoch/epoch-guard.ts'
import { serveApiReference } from './platform/http/api-reference.ts'
import { type Closing, closeHttpServer } from './platform/http/close-server.ts'
import { compressAnswers } from './platform/http/compress-answers.ts'
import type { HttpApp } from './platform/http/http-app.ts'
import { negotiateAnswers } from './platform/http/negotiate.ts'
import { describeSurface, serveDocument } from './platform/http/openapi.ts'
import { serveProbes } from './platform/http/probes.ts'
import { serveEtags } from './platform/http/serve-etags.ts'
import { createHttpServer } from './platform/http/server.ts'
import type { Waker } from './platform/jobs/wake.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { OutageLog } from './platform/telemetry/outage-log.ts'
import { documentWithSamples } from './samples/add-samples.ts'
import { API_DOCUMENT_PATH, API_SURFACE, SAMPLES_DOCUMENT_PATH, SITE_DOCUMENT_PATH, siteSurface } from './surfaces.ts'

export type HttpDeps = {
  config: Config
  pools: Pools
  /** Says why nothing goes out, if so. */
  epoch: Pick<EpochGuard, 'held'>
  metrics: Metrics
  log: Logger
  outages?: OutageLog
  modules: readonly Module[]
  waker?: Pick<Waker, 'onWake'>
}
export type RunningHttp = { address: { host: string; port: number }; close(closing: Closing): Promise<void> }

/** The public server with the routes of all modules, which does not listen yet. To make it keeps the process busy for a second or more. */
export async function createPublicApp(deps: HttpDeps): Promise<HttpApp> {
  const { config, pools, metrics, log } = deps
  const app = createHttpServer({
    logger: log,
    outages: deps.outages ?? new OutageLog(log, { ask: () => pingForWrites(pools) }),
    trustProxy: config.trustProxy,
    https: config.appUrl?.protocol === 'https:',
    onRequestDone: metrics.httpRequest,
    patience: config.patience,
    senderOf: bodySenderOf,
  })
  await compressAnswers(app)
  const more = () => (deps.epoch.held ? { held: deps.epoch.held } : {})
  serveProbes(app, () => pingForWrites(pools), { more })
  serveApiReference(app, { description: SAMPLES_DOCUMENT_PATH, problems: Object.values(PROBLEMS) })
  const apiDocument = await describeSurface(app, API_SURFACE)
  serveDocument(app, API_DOCUMENT_PATH, apiDocument)
  serveDocument(app, SAMPLES_DOCUMENT_PATH, documentWithSamples(apiDocument))
  const siteDocument = await describeSurface(app, siteSurface(config.appUrl?.protocol === 'https:'))
  serveEtags(app)
  const { appUrl, rateLimits: limits } = config
  guardSurfaces(app, { sql: pools.sql, appUrl, baseUrl: baseUrlOf(config), limits, waker: deps.waker })
  serveDocument(app, SITE_DOCUMENT_PATH, siteDocument)
  await negotiateAnswers(app)
  for (const module of deps.modules) module.beforeRoutes?.(app)
  for (const module of deps.modules) module.routes?.(app)
  await app.ready()
  return app
}

/** Has it listen, under the address of the settings. */
export async function listenPublicly(
  app: HttpApp,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<RunningHttp> {
  await app.listen({ host, port }).catch((error: unknown) => {
    throw explainListen(`HOST ${host}, PORT ${port}`, error)
  })
  const bound = app.server.address() as AddressInfo
  return { address: { host, port: bound.port }, close: (closing) => closeHttpServer(app, closing) }
}
