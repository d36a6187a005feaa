import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Database } from './app.ts'
import type { Config, Role } from './config.ts'
import { observeDatabase, observePools } from './observe.ts'
import type { Opened } from './open-database.ts'
import { MergedScrape } from './platform/metrics/merge-scrapes.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { type Ended, type KeptProcess, keepProcess, NotReadyError } from './platform/processes/keep-process.ts'
import { formatOf, type Logger } from './platform/telemetry/logger.ts'
import {
  type ProcessFailed,
  ProcessFailedError,
  type ProcessMetrics,
  type ProcessReady,
  type ProcessStopped,
  type ProcessTask,
} from './process-task.ts'
import { furnish, openMailbox, openParts, prepareDatabase, serveMetrics } from './start-parts.ts'
import type { Start, Started } from './start-steps.ts'
import { watchEpoch } from './watch-epoch.ts'

const ENTRY = fileURLToPath(new URL('../bin/postroom.js', import.meta.url))

/** Of the 200 connections of the embedded database; the rest is for commands and for upkeep. */
const EMBEDDED_CONNECTIONS = 170
/** Our own, for the first steps and the mailbox. */
const OWN_CONNECTIONS = 4
/** How long a process may take to say its metrics; after it the page is made without its gauges. */
const METRICS_WITHIN_MS = 1_500
/** Time that the process that answers requests may take to stop, once it has drained, before the others are asked to. */
const WEB_STOP_MS = 10_000

type Kept = { name: string; process: KeptProcess }

/**
 * Starts the service in several processes: this one holds the data directory, the embedded database, the mailbox and the
 * page of metrics, and keeps the others running, of which one answers requests and the others work.
 */
export async function startProcesses(start: Start, opened: Opened): Promise<Started> {
  const { config, log, undo } = start
  const { database, lock, version } = await prepareDatabase(start, opened)
  const own: Start = { ...start, config: { ...config, ...poolsOf(OWN_CONNECTIONS, OWN_CONNECTIONS) } }
  const parts = await openParts(own, database, {
    observe(metrics, pools) {
      observePools(metrics, pools)
      observeDatabase(metrics, pools)
    },
    mailbox: (pools, outages) => openMailbox(start, pools, outages),
  })
  await watchEpoch(own, parts, { notes: true })
  const credentials = await furnish(start, parts, lock)
  const page = new MergedScrape()
  const kept = rolesOf(config).map(({ name, role }) => {
    const task = taskOf(config, { name, role, database, catcher: parts.catcher })
    return { name, process: keep(task, { log, page }) }
  })
  undo.push(() => stopAll(start, kept))
  const ready = await Promise.all(kept.map((one) => readyOf(one)))
  const address = ready.find((one) => one.address !== undefined)?.address
  const metricsAddress = await serveMetrics(start, parts, { scrape: shared(() => scrape(parts.metrics, kept, page)) })
  await lock?.publish(address ? { address: `http://localhost:${address.port}` } : {})
  return { address, metricsAddress, credentials, database: version }
}

function rolesOf({ role, processes }: Config): { name: string; role: Role }[] {
  const workers = role === 'all' ? processes - 1 : processes
  const web = role === 'all' ? [{ name: 'web', role: 'web' as const }] : []
  return [...web, ...Array.from({ length: workers }, (_, n) => ({ name: `worker-${n + 1}`, role: 'worker' as const }))]
}

function taskOf(
  config: Config,
  given: { name: string; role: Role; database: Database; catcher: ProcessTask['catcher'] },
): ProcessTask {
  const { dbMaxOpenConns, pgxMaxConns, processes, logFormat } = config
  const share = config.databaseUrl ? 1 : Math.min(1, EMBEDDED_CONNECTIONS / processes / (dbMaxOpenConns + pgxMaxConns))
  const connections = { sql: Math.floor(dbMaxOpenConns * share), pgx: Math.floor(pgxMaxConns * share) }
  return { type: 'task', ...given, connections, logFormat: formatOf(logFormat) }
}

function poolsOf(sql: number, pgx: number) {
  return { dbMaxOpenConns: sql, pgxMaxConns: pgx }
}

function keep(task: ProcessTask, { log, page }: { log: Logger; page: MergedScrape }): KeptProcess {
  return keepProcess({
    entry: ENTRY,
    args: ['process'],
    task,
    onLine: (stream, line) => process[stream].write(`${line}\n`),
    onReady: (processId) => log.info({ started: task.name, processId }, 'a process is at work'),
    onEnded({ code, signal, againInMs, last }) {
      page.end(task.name, metricsIn(last))
      log.error({ ended: task.name, code, signal, againInMs }, 'a process has ended and is started again')
    },
  })
}

function metricsIn(last: Ended['last']): string | undefined {
  return last?.type === 'stopped' ? (last as ProcessStopped).metrics : undefined
}

async function readyOf({ name, process }: Kept): Promise<ProcessReady> {
  try {
    return (await process.ready) as ProcessReady
  } catch (error) {
    if (!(error instanceof NotReadyError) || error.ended.last?.type !== 'failed') throw error
    throw new ProcessFailedError((error.ended.last as ProcessFailed).message, { cause: `process ${name}` })
  }
}

async function scrape(own: Metrics, kept: readonly Kept[], page: MergedScrape): Promise<string> {
  const answers = kept.map(async ({ name, process }) => {
    const said = (await process.ask('metrics', METRICS_WITHIN_MS)) as ProcessMetrics | undefined
    if (said) page.hear(name, said.text)
  })
  page.hear('main', await own.scrape())
  await Promise.all(answers)
  return page.merge()
}

/** Two that ask at the same time get one answer: a process has one question at a time. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Requests end before the work that they may wait for; what the database did not take of any process is told together. */
async function stopAll({ config, log, onUnrecorded }: Start, kept: readonly Kept[]): Promise<void> {
  const stop = async ({ name, process }: Kept) => {
    const { code, signal, last } = await process.stop()
    if (last?.type === 'stopped') onUnrecorded((last as ProcessStopped).unrecorded)
    else if (last?.type !== 'failed') log.warn({ ended: name, code, signal }, 'a process ended without having stopped')
  }
  // A service manager signals all processes of the service at once: the others may end before they are asked to.
  for (const { process } of kept) process.letGo()
  const web = kept.filter(({ name }) => name === 'web').map(stop)
  await Promise.race([Promise.all(web), delay(WEB_STOP_MS + config.drainSeconds * 1_000, undefined, { ref: false })])
  await Promise.all([...web, ...kept.filter(({ name }) => name !== 'web').map(stop)])
}
