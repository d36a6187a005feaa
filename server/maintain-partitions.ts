import type pg from 'pg'
import type { Module } from './modules/module.ts'
import { dropExpiredPartitions } from './platform/db/expire-partitions.ts'
import { ensurePartitions } from './platform/db/partitions.ts'
import { HOUR_SECONDS } from './platform/durations.ts'
import type { JobHandler } from './platform/jobs/outcome.ts'

const EVERY_SECONDS = HOUR_SECONDS

/** Makes the partitions that rows of now and of the next time need. Run at the start, before anything is written. */
export async function ensureModulePartitions(pool: pg.Pool, modules: readonly Module[]): Promise<void> {
  await Promise.all(tablesOf(modules).map((table) => ensurePartitions(pool, table)))
}

/**
 * The job `maintain_partitions`, for the tables of all modules: makes partitions ahead, then drops those that have
 * expired and that no module needs. A table that it fails at does not keep the others from it.
 */
export function maintainPartitions(pool: pg.Pool, modules: readonly Module[]): JobHandler {
  const needs = modules.flatMap((module) => module.needs ?? [])
  return {
    kind: 'maintain_partitions',
    queue: 'default',
    everySeconds: EVERY_SECONDS,
    reach: 'database',
    async run() {
      await ensureModulePartitions(pool, modules)
      const now = new Date()
      const errors: unknown[] = []
      for (const table of tablesOf(modules)) {
        await dropExpiredPartitions(pool, table, { needs, now }).catch((error: unknown) => errors.push(error))
      }
      return errors.length === 0 ? { outcome: 'ok' } : { outcome: 'error', error: errors[0] }
    },
  }
}

function tablesOf(modules: readonly Module[]) {
  return modules.flatMap((module) => module.partitions ?? [])
}
