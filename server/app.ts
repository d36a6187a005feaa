import type pg from 'pg'
import { analyzeGrownTables } from './analyze-grown-tables.ts'
import { QUEUES } from './catalogue/queues.ts'
import type { Config } from './config.ts'
import { maintainPartitions } from './maintain-partitions.ts'
import type { Module } from './modules/module.ts'
import { listenToCommits } from './platform/db/after-commit.ts'
import { migrate } from './platform/db/migrate.ts'
import { pingForWrites } from './platform/db/ping.ts'
import { createPool } from './platform/db/pool.ts'
import { sharePlaces } from './platform/db/pool-places.ts'
import { EpochGuard } from './platform/epoch/epoch-guard.ts'
import { migrateJobs } from './platform/jobs/schema.ts'
import type { Trouble } from './platform/jobs/trouble.ts'
import { createWaker, isWakeOf, type Waker } from './platform/jobs/wake.ts'
import { startWorkers } from './platform/jobs/workers.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { registerGroups } from './platform/outbox/consumer.ts'
import { oldestWriter } from './platform/outbox/lag.ts'
import { isSameCluster, rebase } from './platform/outbox/rebase.ts'
import { runGroups } from './platform/outbox/run-groups.ts'
import { OUTBOX_SIGNAL } from './platform/outbox/signal.ts'
import type { Logger } from './platform/telemetry/logger.ts'
import { OutageLog } from './platform/telemetry/outage-log.ts'
import { tellParked } from './reports.ts'

export type Database = { url: string; role: string | undefined }
export type Pools = { sql: pg.Pool; pgx: pg.Pool }

/** Nobody waits for it as for an answer: its connections and statements may take this many times as long. */
const MIGRATION_PATIENCE = 10

/** Brings the schema of the tables and of the job queue up to date. Any number of processes may do so at once. */
export async function migrateDatabase(database: Database, options: { until?: number } = {}): Promise<string[]> {
  const ran = await migrate({ ...database, ...options })
  const pool = createPool({ ...database, name: 'pgx', max: 2, patience: MIGRATION_PATIENCE })
  try {
    await migrateJobs(pool, QUEUES)
  } finally {
    await pool.end()
  }
  return ran
}

/**
 * The two pools of a process, and what wakes those who wait for what is committed through them. Before a connection is used
 * it is judged: on a database that was restored or copied the installation is held, and in another cluster the outbox is
 * re-based. `onError` hears what goes wrong after a commit. `end` ends them, and the connection that others are judged from:
 * left open, it would keep a process half a minute that has nothing more to do.
 */
export function createPools(
  config: Config,
  { onError, ...database }: Database & { onError: (error: unknown) => void },
): Pools & { waker: Waker; epoch: EpochGuard; end(): Promise<void> } {
  const { patience } = config
  const keeper = createPool({ ...database, name: 'sql', max: 1, patience })
  const epoch = new EpochGuard(config.journal.directory, keeper)
  const onConnect = async (client: pg.ClientBase) => {
    await epoch.check(client)
    if (!(await isSameCluster(client))) await rebase(keeper)
  }
  const open = (name: 'sql' | 'pgx', max: number) =>
    createPool({ ...database, name, max, onConnect, patience, isCopy: config.copy })
  const pools = { sql: open('sql', config.dbMaxOpenConns), pgx: open('pgx', config.pgxMaxConns) }
  if (config.role !== 'worker') sharePlaces(pools.sql, patience)
  const waker = createWaker(pools.pgx)
  for (const pool of [pools.sql, pools.pgx]) listenToCommits(pool, { signal: waker.wake, onError })
  const end = async () => {
    await Promise.all([pools.sql.end(), pools.pgx.end()])
    await keeper.end()
  }
  return { ...pools, waker, epoch, end }
}

export type Background = { stop(graceMs: number): Promise<void> }
export type BackgroundDeps = {
  pools: Pools
  isCopy?: boolean
  waker: Waker
  metrics: Metrics
  log: Logger
  outages?: OutageLog
  /** How often groups and workers look that nobody wakes, if not as often as they do by themselves. */
  pollMs?: number
}

/** Starts the consumer groups and the workers of the modules. */
export async function startBackground(deps: BackgroundDeps, modules: readonly Module[]): Promise<Background> {
  const { pools, waker, metrics, log } = deps
  const outages = deps.outages ?? new OutageLog(log, { ask: () => pingForWrites(pools) })
  const polling = deps.pollMs === undefined ? {} : { pollMs: deps.pollMs }
  const consumers = modules.flatMap((module) => module.consumers ?? [])
  await registerGroups(pools.sql, consumers)
  const groups = runGroups(
    {
      pool: pools.sql,
      ...polling,
      onHandled: (handled) => {
        metrics.messagesProcessed(handled)
        if (handled.error)
          log.warn({ err: handled.error, handler: handled.handler, rows: handled.rows }, 'a range failed')
      },
      onParked: tellParked(log),
      onHeld: ({ group, heldMs }) => {
        oldestWriter(pools.sql)
          .then((writer) => log.warn({ group, heldMs, writer }, 'an open transaction holds the outbox back'))
          .catch(() => undefined)
      },
      onLoopError({ group, error }) {
        if (!outages.took(error, 'consumer groups')) log.error({ err: error, group }, 'a consumer group has failed')
      },
    },
    consumers,
  )
  const unsubscribe = waker.onWake((signal) => {
    if (isWakeOf(OUTBOX_SIGNAL, signal)) groups.wake()
  })
  const kinds = [
    maintainPartitions(pools.pgx, modules),
    analyzeGrownTables(pools.pgx),
    ...modules.flatMap((module) => module.jobs ?? []),
  ]
  const reporting = new Set(kinds.filter((handler) => handler.reportsAttempts).map(({ kind }) => kind))
  const workers = startWorkers({
    pool: pools.pgx,
    waker,
    queues: QUEUES.map((name) => ({ name, ...QUEUE_PLACES[name], ...polling })),
    kinds,
    isCopy: deps.isCopy === true,
    onAttempt: (attempt) => {
      if (attempt.status !== 'ok' || !reporting.has(attempt.kind)) metrics.jobAttempt(attempt)
    },
    onTrouble: (trouble) => tellTrouble(log, outages, trouble),
  })
  return {
    async stop(graceMs) {
      unsubscribe()
      await Promise.all([groups.stop(), workers.stop(graceMs)])
    },
  }
}

function tellTrouble(log: Logger, outages: OutageLog, trouble: Trouble): void {
  if (trouble.trouble === 'failing' && outages.took(trouble.error, 'job queue')) return
  if (trouble.trouble === 'recovered') log.info(trouble, 'the job queue is at work again')
  else log.warn(trouble, 'trouble in the job queue')
}

/**
 * Jobs of a process at once. A webhook job is an endpoint's turn, cheap while it waits for receivers: half of the places
 * are never taken by endpoints that only fail. Of both, at most half are taken by one workspace.
 */
const QUEUE_PLACES = {
  default: { concurrency: 10, groupShare: 0.5 },
  broadcasts: { concurrency: 10 },
  webhooks: { concurrency: 200, reserved: { places: 100, priorityMin: 0 }, groupShare: 0.5 },
} as const
