import type pg from 'pg'
import type { Module } from '../module.ts'
import { memberRoutes } from './member-routes.ts'

export function membersModule(deps: { sql: pg.Pool }): Module {
  return { routes: (app) => memberRoutes(app, deps) }
}
