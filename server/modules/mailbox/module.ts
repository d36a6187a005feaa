import type pg from 'pg'
import type { Module } from '../module.ts'
import { mailboxRoutes } from './mailbox-pages.ts'
import { createMailOpener } from './read-mail.ts'

export function mailboxModule({ sql }: { sql: pg.Pool }): Module {
  const opener = createMailOpener()
  return { routes: (app) => mailboxRoutes(app, { sql, opener }), close: () => opener.close() }
}
