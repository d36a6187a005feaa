import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimRequest, claim } from './claim.ts'
import { enqueue } from './enqueue.ts'
import { settle } from './settle.ts'
import { jobsDatabase, QUEUE } from './testing.ts'

const BATCH = 200
const JOBS = 30_000
const BUSY_JOBS = 10_000

const { pool } = await jobsDatabase()
const request: ClaimRequest = {
  queue: QUEUE,
  kinds: ['a'],
  jobsMax: BATCH,
  priorityMin: 0,
  groupMax: BATCH,
  running: new Map(),
}

/** Jobs a second through claim and settlement. */
async function drainRate(jobs: number): Promise<number> {
  const beganMs = performance.now()
  for (let done = 0; done < jobs; ) {
    const claimed = await claim(pool, request)
    assert(claimed.length > 0)
    await settle(
      pool,
      QUEUE,
      claimed.map((job) => ({ job, step: { next: 'remove' } })),
    )
    done += claimed.length
  }
  return (jobs / (performance.now() - beganMs)) * 1_000
}

const enqueueMany = (count: number, groupKey?: string) =>
  enqueue(
    pool,
    Array.from({ length: count }, () => ({ queue: QUEUE, kind: 'a', ...(groupKey ? { groupKey } : {}) })),
  )

test('a queue filled at once runs at the speed of an analysed one, its statements prepared while it was empty', async (t) => {
  await pool.query('alter table jobs.job_common set (autovacuum_enabled = off)')
  for (let n = 0; n < 10; n++) {
    await enqueueMany(1)
    await drainRate(1)
  }
  await pool.query('analyze jobs.job_common')
  await enqueueMany(JOBS)
  await drainRate(JOBS / 10)
  const fresh = await drainRate(JOBS / 3)
  await pool.query('analyze jobs.job_common')
  const analysed = await drainRate(JOBS / 3)
  t.diagnostic(`${Math.round(fresh)} jobs/s fresh, ${Math.round(analysed)} jobs/s analysed`)
  assert(fresh / analysed >= 0.5, `${fresh / analysed}`)
  await pool.query('truncate jobs.job_common')
})

test('a claim passes the backlog of a group that has all its places', async (t) => {
  await enqueueMany(BUSY_JOBS, 'busy')
  await enqueueMany(20, 'small')
  const running = new Map([['busy', 1]])
  const claimMs: number[] = []
  for (let n = 0; n < 20; n++) {
    const beganMs = performance.now()
    const [job, ...rest] = await claim(pool, { ...request, jobsMax: 1, groupMax: 1, running })
    claimMs.push(performance.now() - beganMs)
    assert.deepEqual([job?.groupKey, rest], ['small', []])
  }
  claimMs.sort((a, b) => a - b)
  t.diagnostic(`${claimMs[10]?.toFixed(1)} ms a claim behind ${BUSY_JOBS} jobs`)
  const [first] = await claim(pool, { ...request, jobsMax: BATCH, groupMax: 5, running: new Map() })
  assert.equal(first?.groupKey, 'busy')
})
