import type pg from 'pg'
import { dropExpiredPartitions } from '../../platform/db/expire-partitions.ts'
import { ensurePartitions, type PartitionedTable } from '../../platform/db/partitions.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { pruneOutbox } from '../../platform/outbox/prune.ts'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import { analyzeEvents } from './analyze-events.ts'
import { eventsApi } from './api.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { persistEvent } from './persist-event.ts'
import { EVENT_PARTITIONS, forgetClientIds, OUTBOX_PARTITIONS } from './queries.ts'
import { timelineRoutes } from './timeline-routes.ts'

export type EventsModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  intake: IntakeWriter
  retention: { eventsDays: number; outboxDays: number }
}

const PARTITIONED: readonly PartitionedTable[] = [OUTBOX_PARTITIONS, EVENT_PARTITIONS]
const PARTITIONS_EVERY_SECONDS = 3_600
const CLIENT_IDS_PER_RUN = 50_000

/** The partitions that rows of today and the next days need. Run at the start, before anything is written. */
export async function ensureEventPartitions(pool: pg.Pool): Promise<void> {
  for (const spec of PARTITIONED) await ensurePartitions(pool, spec)
}

export function eventsModule(deps: EventsModuleDeps): Module {
  const { pool, retention } = deps
  return {
    routes(app) {
      eventsApi(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) timelineRoutes(app, deps, door)
    },
    consumers: [persistEvent],
    jobs: [
      {
        kind: 'maintain_events',
        queue: 'default',
        everySeconds: PARTITIONS_EVERY_SECONDS,
        async run() {
          await ensureEventPartitions(pool)
          const now = new Date()
          await pruneOutbox(pool, OUTBOX_PARTITIONS, { retentionDays: retention.outboxDays, now })
          await dropExpiredPartitions(pool, EVENT_PARTITIONS, { retentionDays: retention.eventsDays, now })
          await inTransaction(pool, ALL_WORKSPACES, (tx) =>
            forgetClientIds(tx, { retentionDays: retention.eventsDays, limit: CLIENT_IDS_PER_RUN }),
          )
          await analyzeEvents(pool)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
