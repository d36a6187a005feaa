import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { topicRoutes } from './routes.ts'

export function topicsModule(deps: { sql: pg.Pool }): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) topicRoutes(app, deps, door)
    },
  }
}
