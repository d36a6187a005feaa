import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { claim } from './claim.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import { commitJobs, eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'

const { pool } = await jobsDatabase()
const anew = () => pool.query('delete from jobs.job')
const claimAll = () =>
  claim(pool, {
    queue: QUEUE,
    kinds: ['a'],
    jobsMax: 100,
    priorityMin: -1_000,
    groupMax: 100,
    heldKinds: [],
    running: new Map(),
  })

test("jobs exist when the caller's transaction commits, and not when it rolls back", async () => {
  await anew()
  const failed = inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await insertJobs(tx, [{ queue: QUEUE, kind: 'a' }])
    throw new Error('rolled back')
  })
  await assert.rejects(failed, /rolled back/)
  assert.deepEqual(await jobRows(pool), [])
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await insertJobs(tx, [
      { queue: QUEUE, kind: 'a', payload: { id: '9223372036854775807', text: 'Grüße 🐘' } },
      { queue: 'other', kind: 'b' },
    ])
    assert.deepEqual(await claimAll(), [], 'nobody sees them before')
  })
  const [job, ...rest] = await claimAll()
  assert.deepEqual(rest, [])
  assert.deepEqual(job?.payload, { id: '9223372036854775807', text: 'Grüße 🐘' })
  assert.deepEqual([job.kind, job.queue, job.attempt, job.priority, job.groupKey], ['a', QUEUE, 1, 0, null])
})

test('thousands go in with one statement, and come out the most important and longest due first', async () => {
  await anew()
  const jobs = Array.from({ length: 3_000 }, (_, n) => ({ queue: QUEUE, kind: 'a', payload: { n }, priority: n % 3 }))
  await commitJobs(pool, jobs)
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a', payload: { n: 'late' }, priority: 2 }])
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'a', payload: { n: 'early' }, priority: 2, runAt: '2020-01-01T00:00:00Z' },
    { queue: QUEUE, kind: 'a', payload: { n: 'top' }, priority: 9 },
  ])
  const claimed = await claimAll()
  assert.equal(claimed.length, 100)
  const order = claimed.map(({ payload }) => payload.n)
  assert.deepEqual(new Set(order.filter((n) => typeof n === 'string')), new Set(['top', 'early']))
  assert(claimed.every(({ priority }) => priority >= 2))
  assert.equal((await jobRows(pool)).length, 3_003)
})

test('a job with a later time waits for it', async () => {
  await anew()
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'a', runAt: inAnHour },
    { queue: QUEUE, kind: 'a', delayMs: 7_200_000 },
    { queue: QUEUE, kind: 'a', delayMs: 60_000 },
  ])
  assert.deepEqual(await claimAll(), [])
  const [, one, two] = await jobRows(pool)
  assert(Math.abs(one!.dueInMs - 3_600_000) < 10_000 && Math.abs(two!.dueInMs - 7_200_000) < 10_000)
  await pool.query(
    `update jobs.job_common set start_after = start_after - interval '1 minute', created_on = created_on - interval '1 minute'`,
  )
  assert.equal((await claimAll()).length, 1, 'the short wait is over')
})

test('the same id again changes nothing while the job is there', async () => {
  await anew()
  const id = randomUUID()
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a', id, payload: { first: true } }])
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'a', id, payload: { first: false } },
    { queue: QUEUE, kind: 'a' },
  ])
  const claimed = await claimAll()
  assert.equal(claimed.length, 2)
  assert.deepEqual(claimed.find((job) => job.id === id)?.payload, { first: true })
})

test('jobs with one singleton key merge while one waits; only an earlier time counts', async () => {
  await anew()
  const job = { queue: QUEUE, kind: 'a', singletonKey: 'endpoint 7' }
  await commitJobs(pool, [
    { ...job, delayMs: 60_000, payload: { n: 2 } },
    { ...job, delayMs: 50_000, payload: { n: 1 } },
    { ...job, queue: 'other' },
  ])
  await commitJobs(pool, [{ ...job, delayMs: 90_000, payload: { n: 3 } }])
  assert.deepEqual(
    (await jobRows(pool)).map(({ dueInMs }) => dueInMs > 40_000 && dueInMs <= 50_000),
    [false, true],
  )
  await commitJobs(pool, [{ ...job, payload: { n: 4 } }])
  const claimed = await claimAll()
  assert.deepEqual(
    claimed.map(({ payload }) => payload),
    [{ n: 1 }],
  )
})

test('those who count on one waiting job wait for none of each other, and it for all of them', async () => {
  await anew()
  const job = { queue: QUEUE, kind: 'a', singletonKey: 'shared' }
  await commitJobs(pool, [job])
  await inTransaction(pool, ALL_WORKSPACES, async (first) => {
    await insertJobs(first, [job])
    await inTransaction(pool, ALL_WORKSPACES, async (second) => {
      await second.query(`set local lock_timeout = '1s'`)
      await insertJobs(second, [job])
    })
    assert.deepEqual(await claimAll(), [], 'it would not see what the first has written')
  })
  assert.equal((await claimAll()).length, 1)
})

test('a job enqueued while one with its key runs follows it, and only then', async (t) => {
  await anew()
  let running = 0
  let runs = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const workers = workersOf(t, {
    pool,
    kinds: [
      {
        kind: 'a',
        queue: QUEUE,
        async run() {
          runs++
          assert.equal(++running, 1, 'one at a time')
          await held
          running--
          return { outcome: 'ok' }
        },
      },
    ],
  })
  const job = { queue: QUEUE, kind: 'a', singletonKey: 'k' }
  await commitJobs(pool, [job])
  await eventually('the first runs', () => runs === 1)
  for (let n = 0; n < 5; n++) await commitJobs(pool, [job])
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a', singletonKey: 'unrelated', delayMs: 3_600_000 }])
  workers.wake()
  await eventually('one follower waits', async () => (await jobRows(pool)).length === 3)
  assert.equal(runs, 1)
  release()
  await eventually('both are done', async () => (await jobRows(pool)).length === 1)
  assert.equal(runs, 2)
  assert(workers.attempts.every(({ status }) => status === 'ok'))
})

test('an unknown queue fails the commit', async () => {
  await assert.rejects(commitJobs(pool, [{ queue: 'nowhere', kind: 'a' }]), { code: '23503' })
})

test('who has enqueued while the queue was empty finds the job that waits by its key behind a backlog', async () => {
  await anew()
  await pool.query('analyze jobs.job_common')
  const plan = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    await insertJobs(tx, [{ queue: QUEUE, kind: 'a', singletonKey: 'k' }])
    await insertJobs(tx, Array<NewJob>(2_000).fill({ queue: QUEUE, kind: 'a' }))
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute enqueue_keyed_jobs('{null}', '{${QUEUE}}', '{{}}', '{0}', '{null}', '{0}', '{null}', '{k}')`,
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  const ofTheJob = /Index Scan using job_common_i3 on job_common job\n\s+Index Cond: (.*)/.exec(plan)?.[1] ?? plan
  for (const found of ['(name =', '(state =', "(COALESCE(singleton_key, ''::text) ="])
    assert.ok(ofTheJob.includes(found), plan)
})
