import type pg from 'pg'
import type { Module } from '../module.ts'
import { workspacesSite } from './site.ts'

export function workspacesModule(deps: { sql: pg.Pool }): Module {
  return { routes: (app) => workspacesSite(app, deps) }
}
