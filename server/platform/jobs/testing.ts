import { after, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { createPool } from '../db/pool.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import type { JobHandler } from './outcome.ts'
import type { Attempt, QueueOptions } from './queue-worker.ts'
import { migrateJobs } from './schema.ts'
import type { Trouble } from './trouble.ts'
import { createWaker } from './wake.ts'
import { startWorkers, type Workers } from './workers.ts'

export const QUEUE = 'work'

/** An empty database of the test file's own, dropped when its tests are done. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false })
  after(() => database.drop())
  return database
}

/** The same with the job tables in it. */
export async function jobsDatabase(): Promise<TestDatabase & { pool: pg.Pool }> {
  const database = await emptyDatabase()
  const pool = createPool({ name: 'pgx', url: database.url, max: 10 })
  after(() => pool.end())
  await migrateJobs(pool, [QUEUE, 'other'])
  await pool.query('create table installation (held_since timestamptz); insert into installation values (null)')
  return { ...database, pool }
}

/** Enqueues jobs in a transaction of their own. */
export function commitJobs(pool: pg.Pool, jobs: readonly NewJob[]): Promise<void> {
  return inTransaction(pool, ALL_WORKSPACES, (tx) => insertJobs(tx, jobs))
}

export type Recorded = { attempts: Attempt[]; troubles: Trouble[] }

type Running = { kinds: readonly JobHandler[]; queue?: Partial<QueueOptions>; pool: pg.Pool }

/** Workers of one process on the queue `work`, stopped when the test ends. */
export function workersOf(
  t: Pick<TestContext, 'after'>,
  { kinds, queue, pool }: Running,
): Workers & Recorded & { wake(): void } {
  const recorded: Recorded = { attempts: [], troubles: [] }
  const waker = createWaker(pool)
  const workers = startWorkers({
    pool,
    waker,
    queues: [{ name: QUEUE, concurrency: 10, pollMs: 50, ...queue }],
    kinds,
    onAttempt: (attempt) => recorded.attempts.push(attempt),
    onTrouble: (trouble) => recorded.troubles.push(trouble),
  })
  t.after(() => workers.stop(0))
  return { ...workers, ...recorded, wake: () => waker.wake(QUEUE) }
}

/** Waits for a condition, and fails with its description when it does not come. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(5)
  }
}

export async function jobRows(pool: pg.Pool) {
  const { rows } = await pool.query<{
    state: string
    kind: string
    retry_count: number
    dueInMs: number
    output: string
  }>(`
    select state, data ->> 'kind' as kind, retry_count, output,
      (extract(epoch from start_after - now()) * 1000)::float8 as "dueInMs"
    from jobs.job order by created_on`)
  return rows
}
