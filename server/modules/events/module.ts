import type pg from 'pg'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { analyzeEvents } from './analyze-events.ts'
import { eventsApi } from './api.ts'
import { EVENT_NEEDS, type EventRetention, eventPartitions } from './event-partitions.ts'
import { eventRoutes } from './event-routes.ts'
import { forgetActions } from './forget-actions.ts'
import { forgetOldClientIds } from './forget-client-ids.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { persistEvent } from './persist-event.ts'
import { timelineRoutes } from './timeline-routes.ts'
import { eventTools } from './tools.ts'

export type EventsModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  intake: IntakeWriter
  retention: EventRetention
}

const MAINTAIN_EVERY_SECONDS = HOUR_SECONDS

export function eventsModule(deps: EventsModuleDeps): Module {
  const { pool, retention } = deps
  return {
    tools: eventTools,
    routes(app) {
      eventsApi(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) {
        timelineRoutes(app, deps, door)
        eventRoutes(app, deps, door)
      }
    },
    consumers: [persistEvent],
    partitions: eventPartitions(retention),
    needs: EVENT_NEEDS,
    jobs: [
      {
        kind: 'maintain_events',
        queue: 'default',
        everySeconds: MAINTAIN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await forgetOldClientIds(pool, retention.eventsDays)
          await forgetActions(pool, retention.eventsDays)
          await analyzeEvents(pool)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
