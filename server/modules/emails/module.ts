import type pg from 'pg'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import { dropExpiredMessages, ensureMessagePartitions } from '../sending/ledger/message-partitions.ts'
import { dropExpiredEmails, ensureEmailPartitions } from './email-partitions.ts'
import { messageRoutes } from './message-routes.ts'
import type { ResolveDeps } from './resolve-email.ts'
import { emailRoutes } from './routes.ts'
import type { EmailDeps } from './send-emails.ts'

export type EmailsModuleDeps = EmailDeps & ResolveDeps & { pool: pg.Pool; retentionDays: number }

const MAINTAIN_EVERY_SECONDS = 3_600

export function emailsModule(deps: EmailsModuleDeps): Module {
  const { pool, retentionDays } = deps
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        emailRoutes(app, deps, door)
        messageRoutes(app, deps, door)
      }
    },
    jobs: [
      {
        kind: 'maintain_messages',
        queue: 'default',
        everySeconds: MAINTAIN_EVERY_SECONDS,
        async run() {
          await Promise.all([ensureMessagePartitions(pool), ensureEmailPartitions(pool)])
          const expiry = { retentionDays, now: new Date() }
          await dropExpiredMessages(pool, expiry)
          await dropExpiredEmails(pool, expiry)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
