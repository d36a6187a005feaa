import type pg from 'pg'
import type { Module } from '../module.ts'
import { mailboxRoutes } from './mailbox-pages.ts'

export function mailboxModule(deps: { sql: pg.Pool }): Module {
  return { routes: (app) => mailboxRoutes(app, deps) }
}
