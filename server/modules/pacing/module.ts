import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import type { Module } from '../module.ts'
import { pruneBackoffs } from './backoffs.ts'

const PRUNE_EVERY_SECONDS = HOUR_SECONDS

export function pacingModule({ pool }: { pool: pg.Pool }): Module {
  return {
    jobs: [
      {
        kind: 'prune_domain_backoffs',
        queue: 'default',
        everySeconds: PRUNE_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await inTransaction(pool, ALL_WORKSPACES, pruneBackoffs)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
