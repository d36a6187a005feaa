import type pg from 'pg'
import { textArray } from '../db/arrays.ts'
import { DAY_SECONDS } from '../durations.ts'
import type { ClaimedJob } from './claim.ts'
import type { NextStep } from './outcome.ts'
import { runPinned } from './statement.ts'

/** A claim by the job and the moment it was made. */
type ClaimOf = Pick<ClaimedJob, 'id' | 'claimedAt'>
export type Settlement = { job: ClaimedJob; step: NextStep }

/** A discarded job stays this long for people to look at. */
const DISCARDED_KEPT_SECONDS = 14 * DAY_SECONDS

/**
 * Every statement here is fenced by the claim: it changes a row only while that is active since the moment this claim
 * made it so. A process that was stopped past its heartbeat, and an answer lost on the way and written again, change
 * nothing. (pg-boss fences by retry_count, which a release gives back.)
 *
 * The claims are arrays looked into by position, not a relation: there is no join whose order could be planned wrong
 * (prepared on an empty table, one read the whole queue: 13 ms a write of 200 results instead of 2).
 */
const own = (column: string) => `(select ${column} from claims)[array_position((select ids from claims), job.id)]`
const IS_CLAIM = `job.name = $1 and job.id = any ((select ids from claims)::uuid[])
    and job.state = 'active' and job.started_on = ${own('moments')}`
const CLAIMS = `with claims as materialized (select $2::text[]::uuid[] as ids, $3::text[]::timestamptz[] as moments)`

const REMOVE = `${CLAIMS}
  delete from jobs.job_common job where ${IS_CLAIM} returning job.id`

const KEEP_ALIVE = `${CLAIMS}
  update jobs.job_common job set heartbeat_on = now() where ${IS_CLAIM} returning job.id`

/**
 * Back to waiting, or, without a time to wait, to the discarded. A job whose follower with the same key waits already
 * is merged into that one, as when enqueueing.
 */
const PUT_BACK = `
  with claims as materialized (
    select $2::text[]::uuid[] as ids, $3::text[]::timestamptz[] as moments, $4::text[]::float8[] as after_ms,
      $5::text[]::int[] as attempts_back, $6::text[] as errors
  ), merged as (
    delete from jobs.job_common job
    where ${IS_CLAIM} and ${own('after_ms')} is not null and job.policy = 'stately' and (
      select waiting.id from jobs.job_common waiting
      where waiting.name = $1 and waiting.state = 'created' and waiting.policy = 'stately'
        and coalesce(waiting.singleton_key, '') = coalesce(job.singleton_key, '')
      limit 1) is not null
    returning job.id, job.singleton_key, now() + ${own('after_ms')} * interval '1 millisecond' as due
  ), pulled as (
    update jobs.job_common waiting
    set (start_after, created_on) = (
      select least(waiting.start_after, due), least(waiting.start_after, due) from merged
      where merged.singleton_key = waiting.singleton_key)
    where waiting.name = $1 and waiting.state = 'created' and waiting.policy = 'stately'
      and coalesce(waiting.singleton_key, '') = any (array(select singleton_key from merged))
  ), waiting as (
    update jobs.job_common job
    set state = 'created', heartbeat_on = null, retry_count = job.retry_count - ${own('attempts_back')},
      start_after = now() + ${own('after_ms')} * interval '1 millisecond',
      created_on = now() + ${own('after_ms')} * interval '1 millisecond',
      output = case when ${own('errors')} is null then job.output else jsonb_build_object('error', ${own('errors')}) end
    where ${IS_CLAIM} and ${own('after_ms')} is not null and job.id <> all (array(select id from merged))
    returning job.id
  ), discarded as (
    update jobs.job_common job
    set state = 'failed', completed_on = now(), deletion_seconds = ${DISCARDED_KEPT_SECONDS},
      output = jsonb_build_object('error', ${own('errors')})
    where ${IS_CLAIM} and ${own('after_ms')} is null
    returning job.id
  )
  select id from merged union all select id from waiting union all select id from discarded`

/** Writes the next steps of many jobs of one queue. Gives the ids of those that were still these claims'. */
export async function settle(
  pool: pg.Pool,
  queue: string,
  settlements: readonly { job: ClaimOf; step: NextStep }[],
): Promise<Set<string>> {
  const remove = settlements.filter(({ step }) => step.next === 'remove')
  const putBack = settlements.filter(({ step }) => step.next !== 'remove')
  const statements: Promise<{ id: string }[]>[] = []
  if (remove.length > 0) {
    const values = [queue, ...claimsOf(remove.map(({ job }) => job))]
    statements.push(runPinned(pool, { name: 'remove_jobs', text: REMOVE, values }))
  }
  if (putBack.length > 0) {
    const column = (value: (step: NextStep) => string | null) => textArray(putBack.map(({ step }) => value(step)))
    const values = [
      queue,
      ...claimsOf(putBack.map(({ job }) => job)),
      column((step) => (step.next === 'wait' ? String(Math.max(0, step.afterMs)) : null)),
      column((step) => (step.next === 'wait' ? String(step.attemptsBack) : '0')),
      column((step) => (step.next === 'remove' ? null : step.error)),
    ]
    statements.push(runPinned(pool, { name: 'put_back_jobs', text: PUT_BACK, values }))
  }
  const settled = await Promise.all(statements)
  return new Set(settled.flat().map(({ id }) => id))
}

/** Says that the process holding these jobs lives. Gives the ids of those that are still these claims'. */
export async function keepAlive(pool: pg.Pool, queue: string, jobs: readonly ClaimedJob[]): Promise<Set<string>> {
  const values = [queue, ...claimsOf(jobs)]
  const rows = await runPinned<{ id: string }>(pool, { name: 'keep_jobs_alive', text: KEEP_ALIVE, values })
  return new Set(rows.map(({ id }) => id))
}

function claimsOf(jobs: readonly ClaimOf[]): [Buffer, Buffer] {
  return [textArray(jobs.map((job) => job.id)), textArray(jobs.map((job) => job.claimedAt))]
}
