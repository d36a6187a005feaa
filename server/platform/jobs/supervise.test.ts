import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { claim } from './claim.ts'
import { createSupervisor } from './schema.ts'
import { settle } from './settle.ts'
import { commitJobs, jobRows, jobsDatabase, QUEUE } from './testing.ts'

const { pool } = await jobsDatabase()
const supervisor = createSupervisor(pool)
const errors: unknown[] = []
supervisor.on('error', (error) => errors.push(error))
before(() => supervisor.start())
after(() => supervisor.stop({ graceful: false }))
beforeEach(async () => {
  await pool.query('delete from jobs.job')
})

async function supervise() {
  await pool.query('update jobs.queue set maintain_on = null, monitor_claim_on = null, monitor_on = null')
  await supervisor.supervise()
  assert.deepEqual(errors, [])
}
const claimOne = async () =>
  (
    await claim(pool, {
      queue: QUEUE,
      kinds: ['a'],
      jobsMax: 1,
      priorityMin: 0,
      groupMax: 1,
      heldKinds: [],
      running: new Map(),
    })
  )[0]!
const age = (interval: string) =>
  pool.query(
    `update jobs.job set created_on = created_on - $1::interval, start_after = start_after - $1::interval,
    started_on = started_on - $1::interval, completed_on = completed_on - $1::interval,
    heartbeat_on = heartbeat_on - $1::interval`,
    [interval],
  )

test('a waiting job is never dropped, however long it waits, before or between its attempts', async () => {
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a' }])
  const job = await claimOne()
  await settle(pool, QUEUE, [{ job, step: { next: 'wait', afterMs: 0, error: 'x', attemptsBack: 0 } }])
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'b' },
    { queue: QUEUE, kind: 'c', singletonKey: 'k' },
  ])
  await age('20 years')
  await supervise()
  assert.deepEqual(
    (await jobRows(pool)).map(({ state }) => state),
    ['created', 'created', 'created'],
  )
  const { rows } = await pool.query('select distinct keep_until::text from jobs.job')
  assert.deepEqual(rows, [{ keep_until: 'infinity' }])
})

test('a discarded job leaves after 14 days, not before', async () => {
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a' }])
  await settle(pool, QUEUE, [{ job: await claimOne(), step: { next: 'discard', error: 'x' } }])
  await age('13 days 23 hours')
  await supervise()
  assert.equal((await jobRows(pool)).length, 1)
  await age('2 hours')
  await supervise()
  assert.deepEqual(await jobRows(pool), [])
})

test('a running job is given back when its process has been silent for too long, not for running long', async () => {
  await commitJobs(pool, [{ queue: QUEUE, kind: 'a', singletonKey: 'k' }])
  await claimOne()
  await age('14 seconds')
  await pool.query(`update jobs.job set started_on = started_on - interval '3 days'`)
  await supervise()
  assert.equal((await jobRows(pool))[0]?.state, 'active')
  await age('2 seconds')
  await supervise()
  assert.equal((await jobRows(pool))[0]?.state, 'retry')
  await age('20 years')
  await supervise()
  assert.equal((await claimOne()).attempt, 2)
})
