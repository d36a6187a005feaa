import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimRequest, claim } from './claim.ts'
import { settle } from './settle.ts'
import { commitJobs, jobsDatabase, QUEUE } from './testing.ts'

const BATCH = 200
const JOBS = 30_000
const ENQUEUE_BATCH = 2_500
const BUSY_JOBS = 10_000

const { pool } = await jobsDatabase()
const request: ClaimRequest = {
  queue: QUEUE,
  kinds: ['a'],
  jobsMax: BATCH,
  priorityMin: 0,
  groupMax: BATCH,
  heldKinds: [],
  running: new Map(),
}

/** Takes jobs through claim and settlement. Gives the shortest time of a batch: whatever else runs here takes none of it away. */
async function drainMs(jobs: number): Promise<number> {
  const batchMs: number[] = []
  for (let done = 0; done < jobs; ) {
    const beganMs = performance.now()
    const claimed = await claim(pool, request)
    assert(claimed.length > 0)
    await settle(
      pool,
      QUEUE,
      claimed.map((job) => ({ job, step: { next: 'remove' } })),
    )
    batchMs.push(performance.now() - beganMs)
    done += claimed.length
  }
  return Math.min(...batchMs)
}

async function enqueueMany(count: number, groupKey?: string): Promise<void> {
  const job = { queue: QUEUE, kind: 'a', ...(groupKey ? { groupKey } : {}) }
  for (let left = count; left > 0; left -= ENQUEUE_BATCH) {
    await commitJobs(
      pool,
      Array.from({ length: Math.min(left, ENQUEUE_BATCH) }, () => job),
    )
  }
}

test('a queue filled at once runs at the speed of an analysed one, its statements prepared while it was empty', async (t) => {
  await pool.query('alter table jobs.job_common set (autovacuum_enabled = off)')
  for (let n = 0; n < 10; n++) {
    await enqueueMany(1)
    await drainMs(1)
  }
  await pool.query('analyze jobs.job_common')
  await enqueueMany(JOBS)
  const freshMs = await drainMs(JOBS / 2)
  await pool.query('analyze jobs.job_common')
  const analysedMs = await drainMs(JOBS / 2)
  t.diagnostic(`${BATCH} jobs: ${freshMs.toFixed(1)} ms fresh, ${analysedMs.toFixed(1)} ms analysed`)
  assert(analysedMs / freshMs >= 0.5, `${analysedMs / freshMs}`)
})

test('a claim passes the backlog of a group that has all its places', async (t) => {
  await pool.query('delete from jobs.job')
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
  const [first] = await claim(pool, { ...request, jobsMax: BATCH, groupMax: 5, heldKinds: [], running: new Map() })
  assert.equal(first?.groupKey, 'busy')
})
