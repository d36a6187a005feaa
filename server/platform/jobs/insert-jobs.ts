import { textArray } from '../db/arrays.ts'
import type { Transaction } from '../db/transaction.ts'
import type { JobPayload } from './outcome.ts'
import { HEARTBEAT_SECONDS } from './schema.ts'

/** A row of the queue. Made by `enqueue` from a kind and its payload, and by nobody else. */
export type NewJob = {
  queue: string
  kind: string
  payload?: JobPayload | undefined
  /** When it may run, by the database's clock: a moment (RFC 3339), or from now on. Neither = at once. */
  runAt?: string | undefined
  delayMs?: number | undefined
  /** Higher runs first; 0 when absent. */
  priority?: number | undefined
  /** Jobs of one group share a part of their queue's places, see `QueueOptions.groupShare`. */
  groupKey?: string | undefined
} & (
  | {
      /** A UUID. Enqueueing it again while the job is there changes nothing. */
      id?: string | undefined
      singletonKey?: undefined
    }
  | {
      /**
       * At most one job with this key waits in the queue and at most one runs. Enqueueing while one waits merges into
       * it: payload and priority stay, only an earlier time counts. Enqueueing while one runs makes the one that
       * follows it.
       */
      singletonKey: string
      id?: undefined
    }
)

/** The row decides nothing about retries, the kind's policy does: pg-boss shall never give up on its own. */
const NO_LIMIT = 2_147_483_647

/**
 * The columns of one batch. `created_on` holds the time the job is due, and so the claiming index is in due order:
 * jobs due later cost a claim nothing (measured with 100,000 of them: 0.02 ms against 3.5 ms), and one that waited
 * for its retry does not overtake those that were due before. `keep_until` is pg-boss's retention of waiting jobs.
 */
const INSERT_BATCH = `
  insert into jobs.job_common (id, name, data, priority, start_after, created_on, group_id, singleton_key, policy,
    keep_until, retry_limit, expire_seconds, deletion_seconds, heartbeat_seconds)
  select batch.*, 'infinity', ${NO_LIMIT}, ${NO_LIMIT}, 0, ${HEARTBEAT_SECONDS} from`
const BATCH_COLUMNS = `
    coalesce(id, gen_random_uuid()) as id, name, data, coalesce(priority, 0) as priority, due, due as created_on, group_id`
const BATCH_ROWS = `
    (select id, name, data, priority, group_id, singleton_key,
        coalesce(run_at, now() + coalesce(delay_ms, 0) * interval '1 millisecond') as due
      from unnest($1::text[]::uuid[], $2::text[], $3::text[]::jsonb[], $4::text[]::int[], $5::text[]::timestamptz[],
        $6::text[]::float8[], $7::text[], $8::text[])
        as given (id, name, data, priority, run_at, delay_ms, group_id, singleton_key)) given`

const ENQUEUE = `${INSERT_BATCH}
  (select ${BATCH_COLUMNS}, null::text, 'standard' from ${BATCH_ROWS}) batch
  on conflict do nothing`

/**
 * pg-boss's policy `stately` is the unique index over (queue, state, key) of the states waiting and active.
 *
 * One that waits already, and is due no later, is shared: nobody claims it before all who count on it have committed, and
 * none of them waits for another. A conflict would lock it for one alone even where it changes nothing, so that transactions
 * with the same key stood in line, each behind the commits of all before it: 4.8 s for the second of four erasures on a disk whose
 * writes took two, and the events of every workspace with it. Each is looked for by itself: a join that was planned
 * while the queue was empty reads every job that waits.
 */
const ENQUEUE_KEYED = `
  with keyed as materialized (
    select distinct on (name, singleton_key) ${BATCH_COLUMNS}, singleton_key from ${BATCH_ROWS}
    order by name, singleton_key, due
  ), shared as materialized (
    select keyed.name, keyed.singleton_key from keyed cross join lateral (
      select from jobs.job_common job where job.name = keyed.name and job.state = 'created' and job.policy = 'stately'
        and coalesce(job.singleton_key, '') = keyed.singleton_key and job.start_after <= keyed.due
      limit 1 for share) waiting
  )
  ${INSERT_BATCH} (select keyed.*, 'stately' from keyed where not exists (
    select from shared where shared.name = keyed.name and shared.singleton_key = keyed.singleton_key)) batch
  on conflict (name, state, coalesce(singleton_key, '')) where state <= 'active' and policy = 'stately'
  do update set start_after = excluded.start_after, created_on = excluded.created_on
  where job_common.start_after > excluded.start_after`

/** Puts jobs of any kinds and queues into the table, in one statement, and signals the queues of those that are due. */
export async function insertJobs(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  const keyed = jobs.filter((job) => job.singletonKey !== undefined)
  const plain = keyed.length === 0 ? jobs : jobs.filter((job) => job.singletonKey === undefined)
  for (const job of jobs) if (isDue(job)) tx.signal(job.queue)
  const statements = []
  if (plain.length > 0) statements.push(tx.query({ name: 'enqueue_jobs', text: ENQUEUE, values: batchOf(plain) }))
  if (keyed.length > 0) {
    statements.push(tx.query({ name: 'enqueue_keyed_jobs', text: ENQUEUE_KEYED, values: batchOf(keyed) }))
  }
  await Promise.all(statements)
}

/** By this process's clock: one that is wrong costs a look in vain, or the worker's polling interval. */
function isDue({ runAt, delayMs = 0 }: NewJob): boolean {
  return runAt === undefined ? delayMs <= 0 : Date.parse(runAt) <= Date.now()
}

function batchOf(jobs: readonly NewJob[]): Buffer[] {
  const column = (value: (job: NewJob) => string | number | undefined) =>
    textArray(jobs.map((job) => value(job)?.toString() ?? null))
  return [
    column((job) => job.id),
    column((job) => job.queue),
    column((job) => JSON.stringify({ kind: job.kind, payload: job.payload ?? {} })),
    column((job) => job.priority),
    column((job) => job.runAt),
    column((job) => job.delayMs),
    column((job) => job.groupKey),
    column((job) => job.singletonKey),
  ]
}
