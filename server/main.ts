import { createPools, migrateDatabase, type Pools, startBackground } from './app.ts'
import { PROVIDERS } from './catalogue/providers.ts'
import { composeModules, outgoingClient } from './compose.ts'
import type { Config } from './config.ts'
import { keptEncryptionKey, keysOf } from './encryption-keys.ts'
import { startHttp } from './http.ts'
import { keepCredentials, type NewCredentials } from './keep-credentials.ts'
import { explainListen } from './listen-error.ts'
import { ensureModulePartitions } from './maintain-partitions.ts'
import { startListeners } from './module-listeners.ts'
import { startCatcher } from './modules/mailbox/catcher.ts'
import { ensureMailboxes } from './modules/mailbox/ensure-mailbox.ts'
import { surfaceOf } from './modules/sending/ledger/surface.ts'
import type { SendResult } from './modules/sending/turn/record-results.ts'
import { resultOf, sendOutcomeOf } from './modules/sending/turn/send-outcomes.ts'
import type { LostHits } from './modules/tracking/record-hits.ts'
import { bootstrap, type Credentials } from './modules/workspaces/bootstrap.ts'
import { observe } from './observe.ts'
import { armCrashPoint } from './platform/crash-point.ts'
import { secretBox } from './platform/crypto/secret-box.ts'
import { checkDatabase } from './platform/db/check-database.ts'
import { expireClaims } from './platform/jobs/expire-claims.ts'
import { startMetricsListener } from './platform/metrics/listener.ts'
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts'
import type { ListenAddress } from './platform/net/listen-address.ts'
import { acquireDataDirLock } from './platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from './platform/postgres/embedded-postgres.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { commitOf, VERSION } from './version.ts'

/** Of the 30 s a process has to stop, what running requests and then running jobs may take. */
const HTTP_GRACE_MS = 8_000
const WORK_GRACE_MS = 18_000

/** How many results the database did not take: what they are of is done again by another process, or decided on by a person. */
export type Stopped = { unrecorded: number }

export type Running = {
  /** Where it listens; undefined for a pure worker. */
  address: { host: string; port: number } | undefined
  metricsAddress: { host: string; port: number } | undefined
  /** What the first start has made; undefined on every later one. */
  credentials: Credentials | undefined
  database: string
  /** Finishes or releases what is under way and stops everything, in the opposite order of the start. */
  stop(): Promise<Stopped>
}

/**
 * Starts the service: database, schema, first workspace, then what its role needs. When a step fails, what was started
 * before it is stopped again, and the error is thrown.
 */
export async function start(config: Config, log: Logger, signal?: AbortSignal): Promise<Running> {
  const undo: (() => Promise<unknown>)[] = []
  const stopped = { unrecorded: 0 }
  const onUnrecorded = (results: number) => {
    stopped.unrecorded += results
  }
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step().catch((error: unknown) => log.error(error))
    return stopped
  }
  try {
    return { ...(await startSteps(config, log, { undo, signal, onUnrecorded })), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Steps = {
  undo: (() => Promise<unknown>)[]
  signal: AbortSignal | undefined
  onUnrecorded: (results: number) => void
}

async function startSteps(config: Config, log: Logger, steps: Steps): Promise<Omit<Running, 'stop'>> {
  const { undo, onUnrecorded } = steps
  if (config.crashPoint) armCrashPoint(config.crashPoint)
  const { url, lock } = await openDatabase(config, log, steps)
  const { role, versionText, warnings } = await checkDatabase(url, config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
  for (const warning of warnings) log.warn(warning)
  const database = { url, role }
  const ran = await migrateDatabase(database)
  if (ran.length > 0) log.info({ migrations: ran }, 'the schema is up to date')

  const metrics = createMetrics({ version: VERSION, commit: commitOf(), providers: PROVIDERS })
  undo.push(() => metrics.close())
  const { waker, ...pools } = createPools(config, { ...database, onError: (error) => log.error(error) })
  observe(metrics, pools)
  undo.push(() => Promise.all([pools.sql.end(), pools.pgx.end()]))
  const client = outgoingClient(config)
  undo.push(() => client.close())
  const keys = keysOf(config.encryptionKey ?? (await keptEncryptionKey(config.dataDir)))
  const catcher = await openMailbox(config, pools, log)
  if (catcher) undo.push(() => catcher.close())
  const parts = { config, pools, keys, client, catcher: catcher?.address }
  const modules = composeModules({ ...parts, ...reports(metrics, log), onUnrecorded })
  undo.push(() => Promise.all(modules.map((module) => module.close?.())))
  await ensureModulePartitions(pools.sql, modules)
  // The process that had the directory before is gone, and what it worked on is nobody's.
  if (lock) await expireClaims(pools.pgx)
  const keep = config.databaseUrl ? {} : { keep: (made: NewCredentials) => keepCredentials(config.dataDir, made) }
  const credentials = await bootstrap({ sql: pools.sql, ...keep }, config.bootstrap)
  if (catcher) await ensureMailboxes({ sql: pools.sql, secrets: secretBox(keys), address: catcher.address })

  if (config.role !== 'web') {
    const background = await startBackground({ pools, waker, metrics, log }, modules)
    undo.push(() => background.stop(WORK_GRACE_MS))
  }
  const http = config.role === 'worker' ? undefined : await startHttp({ config, pools, metrics, log, modules })
  if (http) undo.push(() => http.close(HTTP_GRACE_MS))
  if (http) await startListeners(modules, log, (listener) => undo.push(() => listener.close()))
  const listener = config.metricsAddress && (await listenForMetrics(metrics, config.metricsAddress))
  if (listener) undo.push(() => listener.close())
  await lock?.publish(http ? { address: `http://localhost:${http.address.port}` } : {})
  return { address: http?.address, metricsAddress: listener, credentials, database: `PostgreSQL ${versionText}` }
}

async function openDatabase(config: Config, log: Logger, { undo, signal }: Steps) {
  if (config.databaseUrl) return { url: config.databaseUrl.reveal(), lock: undefined }
  const { dataDir } = config
  const lock = await acquireDataDirLock(dataDir)
  undo.push(() => lock.release())
  const postgres = await openEmbeddedPostgres({ dataDir, log, lock, signal })
  undo.push(() => postgres.stop())
  return { url: postgres.url, lock }
}

/** The built-in mail server: beside the work, since only what this process sends may be sure to stay here. */
async function openMailbox({ mailbox, role }: Config, pools: Pools, log: Logger) {
  if (mailbox === undefined || role === 'web') return undefined
  const onError = (error: unknown) => log.error(error, 'the mailbox cannot keep mail')
  const catcher = await startCatcher({ sql: pools.sql, onError }, mailbox).catch((error: unknown) => {
    throw explainListen(`MAILBOX_ADDR ${mailbox.host}:${mailbox.port}`, error)
  })
  log.info(catcher.address, 'the mailbox listens')
  return catcher
}

async function listenForMetrics(metrics: Metrics, address: ListenAddress) {
  return startMetricsListener(metrics, address).catch((error: unknown) => {
    throw explainListen(`METRICS_ADDR ${address.host ?? ''}:${address.port}`, error)
  })
}

function reports(metrics: Metrics, log: Logger) {
  const batch = metrics.histogram(
    { name: 'postroom_intake_commit_events', help: 'Events written by one shared commit of the intake.' },
    [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000],
  )
  const returned = metrics.counter({
    name: 'postroom_returned_mails_total',
    help: 'Mails taken in as returned ones, by what they were.',
  })
  const lostHits = metrics.counter({
    name: 'postroom_hits_lost_total',
    help: 'Opens and clicks that are not counted, by why.',
  })
  const result = metrics.counter({
    name: 'postroom_send_results_total',
    help: 'Results of claimed messages that were recorded, by surface and what follows.',
  })
  return {
    onAttempt: metrics.jobAttempt,
    onCommitted: (events: number) => batch(events),
    onFeedback: metrics.emailOutcome,
    onReturnedMail: (outcome: string) => returned(1, { outcome }),
    onLostHits({ hits, reason }: LostHits) {
      lostHits(hits, { reason })
      // The metrics are not served any more by then.
      if (reason === 'ended') log.warn({ hits }, 'opens and clicks that were not stored are lost')
    },
    onRecorded(results: readonly SendResult[]) {
      for (const one of results) {
        const outcome = sendOutcomeOf(one)
        if (outcome) metrics.emailOutcome(outcome)
        result(1, { surface: surfaceOf(one.claim.sourceKind), result: resultOf(one) })
      }
    },
    onError: (error: unknown) => log.error(error, 'what was gathered waits for the database'),
  }
}
