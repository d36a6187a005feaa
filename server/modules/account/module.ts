import type pg from 'pg'
import type { Module } from '../module.ts'
import { accountRoutes } from './account-routes.ts'

export function accountModule(deps: { sql: pg.Pool }): Module {
  return { routes: (app) => accountRoutes(app, deps) }
}
