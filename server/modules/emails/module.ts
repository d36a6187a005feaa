import type pg from 'pg'
import type { Module } from '../module.ts'
import { dropExpiredMessages, ensureMessagePartitions } from '../sending/message-partitions.ts'

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
          await ensureMessagePartitions(pool)
          await dropExpiredMessages(pool, { retentionDays, now: new Date() })
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
