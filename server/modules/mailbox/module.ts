import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { mailboxRoutes } from './mailbox-pages.ts'
import { mailboxApiRoutes } from './mailbox-routes.ts'
import { createMailOpener } from './read-mail.ts'

export function mailboxModule({ sql }: { sql: pg.Pool }): Module {
  const opener = createMailOpener()
  return {
    routes(app) {
      mailboxRoutes(app, { sql, opener })
      for (const door of [API_DOOR, SITE_DOOR]) mailboxApiRoutes(app, { sql, opener }, door)
    },
    close: () => opener.close(),
  }
}
