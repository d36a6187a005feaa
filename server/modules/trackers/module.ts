import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { createTrackerFinder } from './find-tracker.ts'
import { type CollectLimits, guardCollect } from './guard-collect.ts'
import { trackerKeyRoutes, trackerRoutes } from './routes.ts'
import type { TrackerTally } from './tally-trackers.ts'

type TrackersModuleDeps = { sql: pg.Pool; limits: CollectLimits; tally: TrackerTally }

export function trackersModule({ sql, limits, tally }: TrackersModuleDeps): Module {
  const find = createTrackerFinder(sql)
  return {
    beforeRoutes(app) {
      guardCollect(app, { sql, find, limits, tally })
    },
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        trackerRoutes(app, { sql }, door)
        trackerKeyRoutes(app, { sql }, door)
      }
    },
    close: () => tally.stop(),
  }
}
