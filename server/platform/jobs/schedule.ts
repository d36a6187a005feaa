import { createHash } from 'node:crypto'
import type pg from 'pg'
import { textArray } from '../db/arrays.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { insertJobs } from './insert-jobs.ts'
import type { JobHandler } from './outcome.ts'

/** For a release that runs a kind more often than the one before: its job need not wait out the longer pause. */
const PULL_FORWARD = `
  update jobs.job_common job set start_after = due, created_on = due
  from unnest($1::text[], $2::text[]::uuid[], $3::text[]::float8[]) as schedule (queue, id, every_seconds),
    lateral (select now() + every_seconds * interval '1 second' as due) next
  where job.name = schedule.queue and job.id = schedule.id and job.state < 'active' and job.start_after > due`

/**
 * Sees to it that every kind with `everySeconds` has its job; a new one runs at once. A schedule is one row for the
 * whole fleet that never leaves: after each run it waits for the next. So it cannot fire twice, and a process that is
 * killed in the middle loses it like any other job, for seconds.
 */
export async function registerSchedules(pool: pg.Pool, kinds: readonly JobHandler[]): Promise<void> {
  if (kinds.length === 0) return
  const jobs = kinds.map((kind) => ({ id: scheduleId(kind), queue: kind.queue, kind: kind.kind }))
  const column = (value: (kind: JobHandler) => string) => textArray(kinds.map(value))
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await insertJobs(tx, jobs)
    await tx.query(PULL_FORWARD, [
      column(({ queue }) => queue),
      column(scheduleId),
      column((kind) => `${kind.everySeconds}`),
    ])
  })
}

/** The same in every process: made from the name. */
function scheduleId({ queue, kind }: JobHandler): string {
  return createHash('sha256').update(`${queue}/${kind}`).digest('hex').slice(0, 32)
}
