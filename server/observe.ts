import type pg from 'pg'
import type { Pools } from './app.ts'
import { lastFaults } from './modules/automations/seeing/find-faults.ts'
import { pacingStats } from './modules/pacing/pacing-stats.ts'
import { readFailedBackup } from './modules/restoration/failed-backup.ts'
import { sendingStats } from './modules/sending/ledger/sending-stats.ts'
import { surfaceOf } from './modules/sending/ledger/surface.ts'
import { backlogLag, DISPATCHING_GROUP } from './modules/webhooks/fan-out-webhooks.ts'
import { pingForWrites } from './platform/db/ping.ts'
import { readInstallation } from './platform/epoch/installation.ts'
import { readLastBackup } from './platform/epoch/last-backup.ts'
import { queueStats } from './platform/jobs/queue-stats.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { outboxLag } from './platform/outbox/lag.ts'
import { parkedCounts } from './platform/outbox/parked.ts'

/** Exposes what the process and the database know. */
export function observe(metrics: Metrics, pools: Pools): void {
  observePools(metrics, pools)
  observeDatabase(metrics, pools)
}

/** Figures that each process has of its own. */
export function observePools(metrics: Metrics, pools: Pools): void {
  metrics.pool('sql', pools.sql)
  metrics.pool('pgx', pools.pgx)
  metrics.gauge(
    { name: 'postroom_database_ready', help: 'Whether the database answers this process and takes what it writes.' },
    async () => [
      {
        value: await pingForWrites(pools).then(
          () => 1,
          () => 0,
        ),
      },
    ],
  )
}

/** Figures that the database tells alike to every process; it is asked at each scrape. */
export function observeDatabase(metrics: Metrics, pools: Pools): void {
  metrics.outboxLag(() => lagOfGroups(pools.sql))
  metrics.queueStats(() => queueStats(pools.pgx))
  metrics.gauge(
    { name: 'postroom_outbox_parked_rows', help: 'Events put aside because a consumer group could not handle them.' },
    async () =>
      (await parkedCounts(pools.sql)).map(({ group, rows }) => ({ value: rows, labels: { consumer_group: group } })),
  )
  metrics.gauge(
    {
      name: 'postroom_installation_held',
      help: 'Whether nothing goes out because the database was restored or copied.',
    },
    async () => {
      const { held } = await readInstallation(pools.sql)
      return [{ value: held === null ? 0 : 1, ...(held && { labels: { reason: held.reason } }) }]
    },
  )
  metrics.gauge(
    {
      name: 'postroom_last_backup_timestamp_seconds',
      help: 'The moment that the last backup of the command is of; no sample where it took none.',
    },
    async () => {
      const last = await readLastBackup(pools.sql)
      return last ? [{ value: Date.parse(last.takenAt) / 1_000 }] : []
    },
  )
  metrics.gauge(
    {
      name: 'postroom_nightly_backup_failed',
      help: 'Whether the last backup that the service was to take by itself failed, and none was taken since.',
    },
    async () => [{ value: (await readFailedBackup(pools.sql)) ? 1 : 0 }],
  )
  metrics.gauge(
    {
      name: 'postroom_automation_faults',
      help: 'People in automations who are not where they should be, by kind; anything but 0 is a fault of ours.',
    },
    async () => (await lastFaults(pools.sql)).map(({ fault, found }) => ({ value: found, labels: { fault } })),
  )
  const sending = askedOnce(() => sendingStats(pools.pgx))
  const pacing = askedOnce(() => pacingStats(pools.pgx))
  metrics.gauge(
    { name: 'postroom_send_oldest_due_seconds', help: 'Age of the oldest message that is due and not being sent.' },
    async () =>
      (await sending()).waiting.map(({ sourceKind, oldestSeconds }) => ({
        value: oldestSeconds,
        labels: { surface: surfaceOf(sourceKind) },
      })),
  )
  metrics.gauge(
    { name: 'postroom_send_streams_held', help: 'Broadcasts and queues of single messages that wait, by why.' },
    async () => (await sending()).held.map(({ reason, streams }) => ({ value: streams, labels: { reason } })),
  )
  metrics.gauge(
    { name: 'postroom_send_slowed_integrations', help: 'Integrations whose provider asked for a slower pace lately.' },
    async () => [{ value: (await pacing()).slowedIntegrations }],
  )
  metrics.gauge(
    { name: 'postroom_send_backed_off_domains', help: "Receivers' domains that nothing is sent to for a while." },
    async () => [{ value: (await pacing()).backedOffDomains }],
  )
}

/** Events whose deliveries a job is still to make are not processed yet, although the log's cursor has passed them. */
async function lagOfGroups(pool: pg.Pool) {
  const [groups, backlog] = await Promise.all([outboxLag(pool), backlogLag(pool)])
  return groups.map(({ group, seconds }) => ({
    group,
    seconds: group === DISPATCHING_GROUP ? Math.max(seconds, backlog) : seconds,
  }))
}

/** A scrape reads all families at the same time: those that come from one source share its answer. */
function askedOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}
