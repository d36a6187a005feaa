import type pg from 'pg'
import { textArray } from '../db/arrays.ts'
import type { ClaimedJob } from './claim.ts'
import type { NextStep } from './outcome.ts'
import { runPinned } from './statement.ts'

export type Settlement = { job: ClaimedJob; step: NextStep }

/** A discarded job stays this long for people to look at. */
const DISCARDED_KEPT_SECONDS = 14 * 86_400

/**
 * Every statement here is fenced by the claim: it changes a row only while that is active since the moment this claim
 * made it so. A process that was stopped past its heartbeat, and an answer lost on the way and written again, change
 * nothing. (pg-boss fences by retry_count, which a release gives back.)
 */
const IS_CLAIM = `job.name = $1 and job.id = claim.id and job.state = 'active' and job.started_on = claim.claimed_at`
const CLAIMS = `unnest($2::text[]::uuid[], $3::text[]::timestamptz[]) as claim (id, claimed_at)`

const REMOVE = `delete from jobs.job_common job using ${CLAIMS} where ${IS_CLAIM} returning job.id`

/**
 * Back to waiting, or to the discarded. A job whose follower with the same key waits already is merged into that one,
 * as when enqueueing.
 */
const PUT_BACK = `
  with claim as (
    select * from unnest($2::text[]::uuid[], $3::text[]::timestamptz[], $4::text[]::float8[], $5::text[]::int[],
      $6::text[]) as claim (id, claimed_at, after_ms, attempts_back, error)
  ), merged as (
    delete from jobs.job_common job using claim
    where ${IS_CLAIM} and claim.after_ms is not null and job.policy = 'stately' and exists (
      select from jobs.job_common waiting
      where waiting.name = $1 and waiting.state = 'created' and waiting.policy = 'stately'
        and coalesce(waiting.singleton_key, '') = job.singleton_key)
    returning job.id, job.singleton_key, now() + claim.after_ms * interval '1 millisecond' as due
  ), pulled as (
    update jobs.job_common waiting set start_after = merged.due, created_on = merged.due
    from merged
    where waiting.name = $1 and waiting.state = 'created' and waiting.policy = 'stately'
      and coalesce(waiting.singleton_key, '') = merged.singleton_key and waiting.start_after > merged.due
  ), waiting as (
    update jobs.job_common job
    set state = 'created', heartbeat_on = null, retry_count = job.retry_count - claim.attempts_back,
      start_after = now() + claim.after_ms * interval '1 millisecond',
      created_on = now() + claim.after_ms * interval '1 millisecond',
      output = case when claim.error is null then job.output else jsonb_build_object('error', claim.error) end
    from claim
    where ${IS_CLAIM} and claim.after_ms is not null and not exists (select from merged where merged.id = job.id)
    returning job.id
  ), discarded as (
    update jobs.job_common job
    set state = 'failed', completed_on = now(), deletion_seconds = ${DISCARDED_KEPT_SECONDS},
      output = jsonb_build_object('error', claim.error)
    from claim
    where ${IS_CLAIM} and claim.after_ms is null
    returning job.id
  )
  select id from merged union all select id from waiting union all select id from discarded`

const KEEP_ALIVE = `update jobs.job_common job set heartbeat_on = now() from ${CLAIMS} where ${IS_CLAIM} returning job.id`

/** Writes the next steps of many jobs of one queue. Gives the ids of those that were still these claims'. */
export async function settle(pool: pg.Pool, queue: string, settlements: readonly Settlement[]): Promise<Set<string>> {
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
      column((step) => (step.next === 'wait' && !step.usesAttempt ? '1' : '0')),
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

function claimsOf(jobs: readonly ClaimedJob[]): [Buffer, Buffer] {
  return [textArray(jobs.map((job) => job.id)), textArray(jobs.map((job) => job.claimedAt))]
}
