import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { createTrackerFinder } from './find-tracker.ts'
import { type CollectLimits, guardCollect } from './guard-collect.ts'
import { trackerRoutes } from './routes.ts'

export function trackersModule({ sql, limits }: { sql: pg.Pool; limits: CollectLimits }): Module {
  const find = createTrackerFinder(sql)
  return {
    beforeRoutes(app) {
      guardCollect(app, { sql, find, limits })
    },
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) trackerRoutes(app, { sql }, door)
    },
  }
}
