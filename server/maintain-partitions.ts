import type pg from 'pg'
import type { Module } from './modules/module.ts'
import { databaseOutcome } from './platform/db/errors.ts'
import { dropExpiredPartitions } from './platform/db/expire-partitions.ts'
import { ensurePartitions } from './platform/db/partitions.ts'
import { retrying } from './platform/db/retry.ts'
import { HOUR_SECONDS } from './platform/durations.ts'
import type { JobHandler } from './platform/jobs/outcome.ts'
import { noteGroups } from './platform/outbox/readers.ts'

const EVERY_SECONDS = HOUR_SECONDS

/**
 * Makes the partitions that rows of now and of the next time need. Run at the start, before anything is written: whoever
 * changes a table's partitions keeps it from that of now for a moment only, and from those ahead for as long as it may.
 */
export async function ensureModulePartitions(
  pool: pg.Pool,
  modules: readonly Module[],
  onLater: (error: unknown) => void = () => undefined,
): Promise<void> {
  await Promise.all(
    tablesOf(modules).map(async (table) => {
      await retrying(() => ensurePartitions(pool, { ...table, ahead: 0 }), isBusy)
      await ensurePartitions(pool, table).catch((error: unknown) => {
        if (!isBusy(error)) throw error
        onLater(error)
      })
    }),
  )
}

function isBusy(error: unknown): boolean {
  const outcome = databaseOutcome(error)
  return outcome === 'timed_out' || outcome === 'conflict'
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
      await noteGroups(
        pool,
        modules.flatMap((module) => module.consumers ?? []).map(({ group }) => group),
      )
      const errors: unknown[] = []
      await ensureModulePartitions(pool, modules, (error) => errors.push(error))
      const now = new Date()
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
