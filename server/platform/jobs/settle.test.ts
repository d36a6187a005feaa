import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type ClaimedJob, claim } from './claim.ts'
import type { NextStep } from './outcome.ts'
import { keepAlive, settle } from './settle.ts'
import { commitJobs, jobRows, jobsDatabase, QUEUE } from './testing.ts'

const { pool } = await jobsDatabase()
beforeEach(async () => {
  await pool.query('delete from jobs.job')
})

const everything = {
  queue: QUEUE,
  kinds: ['a'],
  jobsMax: 100,
  priorityMin: -9,
  groupMax: 100,
  heldKinds: [],
  running: new Map(),
}
const claimAll = () => claim(pool, everything)
const waitStep = (attemptsBack: number, afterMs = 0): NextStep => ({ next: 'wait', afterMs, error: null, attemptsBack })
const steps: NextStep[] = [
  { next: 'remove' },
  { next: 'discard', error: 'stale' },
  waitStep(0, 60_000),
  waitStep(1, 60_000),
]
const orphan = () => pool.query(`update jobs.job set state = 'retry' where state = 'active'`)

async function changesNothing(stale: ClaimedJob[]) {
  const before = (await pool.query('select * from jobs.job order by id')).rows
  for (const step of steps) {
    assert.equal(
      (
        await settle(
          pool,
          QUEUE,
          stale.map((job) => ({ job, step })),
        )
      ).size,
      0,
    )
  }
  assert.equal((await keepAlive(pool, QUEUE, stale)).size, 0)
  assert.deepEqual((await pool.query('select * from jobs.job order by id')).rows, before)
}

test('a result for a job that was given to somebody else changes nothing, whatever it says', async () => {
  await commitJobs(
    pool,
    Array.from({ length: 50 }, () => ({ queue: QUEUE, kind: 'a' })),
  )
  const stale = await claimAll()
  await orphan()
  await changesNothing(stale)
  const heirs = await claimAll()
  assert.deepEqual(new Set(heirs.map(({ attempt }) => attempt)), new Set([2]))
  await changesNothing(stale)
  assert.equal((await keepAlive(pool, QUEUE, heirs)).size, 50)
  assert.equal(
    (
      await settle(
        pool,
        QUEUE,
        heirs.map((job) => ({ job, step: steps[0]! })),
      )
    ).size,
    50,
  )
  await changesNothing(heirs)
  assert.deepEqual(await jobRows(pool), [])
})

test('nor after a release, which gives the heir the same attempt', async () => {
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a' }])
  const first = await claimAll()
  const settlement = first.map((job) => ({ job, step: waitStep(1) }))
  assert.equal((await settle(pool, QUEUE, settlement)).size, 1)
  assert.equal((await settle(pool, QUEUE, settlement)).size, 0, 'an answer lost on the way and written again')
  const second = await claimAll()
  assert.deepEqual([first[0]!.attempt, second[0]!.attempt], [1, 1])
  await changesNothing(first)
})

test('one set carries every kind of next step', async () => {
  await commitJobs(
    pool,
    Array.from({ length: 4 }, () => ({ queue: QUEUE, kind: 'a' })),
  )
  const jobs = await claimAll()
  assert.equal(
    (
      await settle(
        pool,
        QUEUE,
        jobs.map((job, n) => ({ job, step: steps[n]! })),
      )
    ).size,
    4,
  )
  const rows = await jobRows(pool)
  assert.deepEqual(rows.map(({ state, retry_count }) => [state, retry_count]).sort(), [
    ['created', -1],
    ['created', 0],
    ['failed', 0],
  ])
  assert(rows.filter(({ state }) => state === 'created').every(({ dueInMs }) => dueInMs > 50_000))
})

test('a job put back while its follower waits merges into it and leaves it the earlier time', async () => {
  const job = { queue: QUEUE, kind: 'a', singletonKey: 'k' }
  for (const [followerMs, backMs] of [
    [60_000, 20_000],
    [20_000, 60_000],
  ] as const) {
    await commitJobs(pool, [{ ...job, payload: { first: true } }])
    const claimed = await claimAll()
    await commitJobs(pool, [{ ...job, delayMs: followerMs, payload: { first: false } }])
    const settled = await settle(
      pool,
      QUEUE,
      claimed.map((job) => ({ job, step: waitStep(0, backMs) })),
    )
    assert.equal(settled.size, 1)
    const [row, ...rest] = (
      await pool.query(`
      select data -> 'payload' ->> 'first' as first, start_after - now() < interval '21 s' as soon from jobs.job`)
    ).rows
    assert.deepEqual([row, rest], [{ first: 'false', soon: true }, []])
    await pool.query('delete from jobs.job')
  }
})

test('an orphan that comes back while its follower waits runs before it, not with it', async () => {
  const job = { queue: QUEUE, kind: 'a', singletonKey: 'k' }
  await commitJobs(pool, [{ ...job, payload: { first: true } }])
  await claimAll()
  await commitJobs(pool, [job])
  await orphan()
  const [first, ...rest] = await claimAll()
  assert.deepEqual([first?.payload, rest], [{ first: true }, []])
  assert.deepEqual(await claimAll(), [])
  await settle(pool, QUEUE, [{ job: first!, step: { next: 'remove' } }])
  assert.deepEqual(
    (await claimAll()).map(({ payload }) => payload),
    [{}],
  )
})
