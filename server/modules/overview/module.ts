import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { overviewRoutes } from './routes.ts'

export function overviewModule(deps: { sql: pg.Pool }): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) overviewRoutes(app, deps, door)
    },
  }
}
