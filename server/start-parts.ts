import { createPools, type Database, migrateDatabase, type Pools, startBackground } from './app.ts'
import { PROVIDERS } from './catalogue/providers.ts'
import { checkEncryptionKey } from './check-encryption-key.ts'
import { composeModules, outgoingClient } from './compose.ts'
import type { ComposeDeps } from './compose-deps.ts'
import { keySourceOf, keysFor } from './encryption-keys.ts'
import { createPublicApp, listenPublicly } from './http.ts'
import { keepCredentials, type NewCredentials, placeCredentials, unshownCredentials } from './keep-credentials.ts'
import { explainListen } from './listen-error.ts'
import { ensureModulePartitions } from './maintain-partitions.ts'
import { startListeners } from './module-listeners.ts'
import type { CatcherAddress } from './modules/mailbox/catcher-address.ts'
import { ensureMailboxes } from './modules/mailbox/ensure-mailbox.ts'
import type { Module } from './modules/module.ts'
import { bootstrap, type Credentials, knowsToken } from './modules/workspaces/bootstrap.ts'
import type { Opened } from './open-database.ts'
import { type SecretKeys, secretBox } from './platform/crypto/secret-box.ts'
import { checkDatabase } from './platform/db/check-database.ts'
import { pingForWrites } from './platform/db/ping.ts'
import type { EpochGuard } from './platform/epoch/epoch-guard.ts'
import { expireClaims } from './platform/jobs/expire-claims.ts'
import type { Waker } from './platform/jobs/wake.ts'
import { watchEventLoop } from './platform/metrics/event-loop-stalls.ts'
import { type Listened, startMetricsListener } from './platform/metrics/listener.ts'
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts'
import type { ListenAddress } from './platform/net/listen-address.ts'
import { OutageLog } from './platform/telemetry/outage-log.ts'
import { reports } from './reports.ts'
import type { Start } from './start-steps.ts'
import { commitOf, VERSION } from './version.ts'

/** Of the 30 s a process has to stop, what running requests and then running jobs may take. */
const HTTP_GRACE_MS = 8_000
const WORK_GRACE_MS = 18_000

/** `lock` is the hold on the embedded database. */
type Prepared = Pick<Opened, 'lock'> & { database: Database; version: string }

/** Checks an open database, and brings its schema up to date. */
export async function prepareDatabase({ config, log, signal }: Start, { url, lock }: Opened): Promise<Prepared> {
  const { role, versionText, warnings } = await checkDatabase(url, config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
  for (const warning of warnings) log.warn(warning)
  const database = { url, role }
  // Another process may be at it for long; what it waits with ends with the process.
  const ran = await unlessStopped(migrateDatabase(database), signal)
  if (ran.length > 0) log.info({ migrations: ran.length, from: ran[0], to: ran.at(-1) }, 'the schema is up to date')
  return { database, lock, version: `PostgreSQL ${versionText}` }
}

/** Ends the wait, if not what is waited for, when the process is asked to stop. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal?.removeEventListener('abort', stop)
    work.catch(() => undefined)
  }
}

export type Parts = {
  metrics: Metrics
  pools: Pools
  waker: Waker
  epoch: EpochGuard
  keys: SecretKeys
  catcher: CatcherAddress | undefined
  modules: readonly Module[]
  outages: OutageLog
}

/** Everything that a process is made of, nothing of it at work. `mailbox` opens the built-in mail server, or knows where it is. */
export async function openParts(
  { config, log, undo, onUnrecorded }: Start,
  database: Database,
  {
    observe,
    mailbox,
  }: {
    observe: (metrics: Metrics, pools: Pools) => void
    mailbox: (
      pools: Pools,
      outages: OutageLog,
    ) => Promise<(CatcherAddress & { close?: () => Promise<unknown> }) | undefined>
  },
): Promise<Parts> {
  const metrics = createMetrics({ version: VERSION, commit: commitOf(), providers: PROVIDERS })
  const endWatch = watchEventLoop(metrics)
  undo.push(() => {
    endWatch()
    return metrics.close()
  })
  const { waker, epoch, end, ...pools } = createPools(config, { ...database, onError: (error) => log.error(error) })
  const outages = new OutageLog(log, { ask: () => pingForWrites(pools) })
  observe(metrics, pools)
  undo.push(end)
  const client = outgoingClient(config)
  undo.push(() => client.close())
  const keys = await keysFor(config, pools.sql)
  await checkEncryptionKey(pools.sql, keys, keySourceOf(config))
  const opened = await mailbox(pools, outages)
  if (opened?.close) undo.push(opened.close)
  const catcher = opened && { host: opened.host, port: opened.port }
  const modules = composeModules({
    config,
    pools,
    keys,
    client,
    catcher,
    backupFiles: backupFilesOf(database, keys),
    ...reports(metrics, log, outages),
    onUnrecorded,
  })
  undo.push(() => Promise.all(modules.map((module) => module.close?.())))
  return { metrics, pools, waker, epoch, keys, catcher, modules, outages }
}

/** Copies of the database; what makes them is loaded when one is asked for. */
function backupFilesOf(database: Database, keys: SecretKeys): ComposeDeps['backupFiles'] {
  return {
    take: async (options) => (await import('./backups.ts')).takeBackup(database, { ...options, keys }),
    check: async (path) => (await import('./backups.ts')).checkBackup(path, keys),
  }
}

/**
 * The built-in mail server: beside the work, since only what these processes send may be sure to stay here. A service without it
 * does without its parser of the protocol, too.
 */
export async function openMailbox({ config, log }: Start, pools: Pools, outages: OutageLog) {
  const { mailbox, role } = config
  if (mailbox === undefined || role === 'web') return undefined
  const onError = (error: unknown) => {
    if (!outages.took(error, 'the mailbox')) log.error(error, 'the mailbox cannot keep mail')
  }
  const { startCatcher } = await import('./modules/mailbox/catcher.ts')
  const catcher = await startCatcher({ sql: pools.sql, onError }, mailbox).catch((error: unknown) => {
    throw explainListen(`MAILBOX_ADDR ${mailbox.host}:${mailbox.port}`, error)
  })
  log.info(catcher.address, 'the mailbox listens')
  return { ...catcher.address, close: () => catcher.close() }
}

/**
 * Makes partitions, the first workspace, mailboxes: everything else needs them. Tells what the first start has made, or one
 * before this that failed and showed nothing of it.
 */
export async function furnish(
  { config, log }: Start,
  { pools, keys, catcher, modules }: Parts,
  lock: Opened['lock'],
): Promise<Credentials | undefined> {
  await ensureModulePartitions(pools.sql, modules, (err) => log.warn({ err }, 'partitions ahead are made later'))
  // The process that had the directory before is gone, and what it worked on is nobody's.
  if (lock) await expireClaims(pools.pgx)
  // Beside a database of its own there need be no directory: then they are shown, and that is all.
  const keep = (made: NewCredentials) =>
    keepCredentials(config.dataDir, made).catch((error: unknown) => {
      if (config.databaseUrl === undefined) throw error
      return ''
    })
  const made = await bootstrap({ sql: pools.sql, keep }, config.bootstrap)
  const kept = made ?? (await unshownCredentials(config.dataDir))
  const credentials = kept && (await knowsToken(pools.sql, kept.token)) ? kept : undefined
  if (credentials && config.databaseUrl === undefined) await placeCredentials(config.dataDir)
  if (catcher)
    await ensureMailboxes({ sql: pools.sql, secrets: secretBox(keys), address: catcher }, { all: config.copy })
  return credentials
}

/** Puts a process to the work of its role; where it listens, if it answers requests. */
export async function startRole(start: Start, parts: Parts) {
  const { config, log, undo } = start
  if (config.role === 'worker') return startWork(start, parts)
  const { pools, waker, epoch, metrics, modules, outages } = parts
  // Before anything is at work: no connection to the database is answered while the process is busy with it.
  const app = await createPublicApp({ config, pools, waker, epoch, metrics, log, outages, modules })
  try {
    if (config.role !== 'web') await startWork(start, parts)
    // Last of all: whoever is told that it is ready finds every port open, and keeps it until this one has drained.
    await startListeners(modules, log, (listener) => undo.push(() => listener.close()))
    const http = await listenPublicly(app, config)
    undo.push(() => http.close({ drainMs: config.drainSeconds * 1_000, graceMs: HTTP_GRACE_MS }))
    return http.address
  } catch (error) {
    await app.close()
    throw error
  }
}

async function startWork({ config, log, undo }: Start, parts: Parts): Promise<undefined> {
  const { pools, waker, metrics, modules, outages } = parts
  const background = await startBackground({ pools, waker, metrics, log, outages, isCopy: config.copy }, modules)
  undo.push(() => background.stop(WORK_GRACE_MS))
}

/** Serves the metrics and the probes where they are asked for. */
export async function serveMetrics(
  { config, undo }: Start,
  { pools, epoch }: Parts,
  { scrape }: Pick<Metrics, 'scrape'>,
) {
  const address = config.metricsAddress
  if (address === undefined) return undefined
  const ready = async () => {
    await pingForWrites(pools)
    return epoch.held ? { held: epoch.held } : {}
  }
  const listener = await listen({ scrape, ready }, address)
  undo.push(() => listener.close())
  return { host: listener.host, port: listener.port }
}

function listen(listened: Listened, address: ListenAddress) {
  return startMetricsListener(listened, address).catch((error: unknown) => {
    throw explainListen(`METRICS_ADDR ${address.host ?? ''}:${address.port}`, error)
  })
}
