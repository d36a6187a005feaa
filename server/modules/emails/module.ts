import type pg from 'pg'
import type { Module } from '../module.ts'
import { dropExpiredMessages, ensureMessagePartitions } from '../sending/message-partitions.ts'
import { dropExpiredEmails, ensureEmailPartitions } from './email-partitions.ts'

export type EmailsModuleDeps = { pool: pg.Pool; retentionDays: number }

const MAINTAIN_EVERY_SECONDS = 3_600

export function emailsModule({ pool, retentionDays }: EmailsModuleDeps): Module {
  return {
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
