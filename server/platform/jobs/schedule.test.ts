import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobHandler } from './outcome.ts'
import { registerSchedules } from './schedule.ts'
import { eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'

const { pool } = await jobsDatabase()

test('a schedule fires once for the whole fleet, and again at its next time after a failure', async (t) => {
  const runs: { atMs: number; attempt: number }[] = []
  const kind: JobHandler = {
    kind: 'partitions',
    queue: QUEUE,
    everySeconds: 0.3,
    attemptsMax: 2,
    async run({ attempt }) {
      runs.push({ atMs: performance.now(), attempt })
      if (runs.length < 4) throw new Error('not today')
      return { outcome: 'ok' }
    },
  }
  const fleet = Array.from({ length: 4 }, () => workersOf(t, { pool, kinds: [kind], queue: { pollMs: 20 } }))
  await eventually('it ran five times', () => runs.length === 5)
  assert.equal((await jobRows(pool)).length, 1)
  for (const [n, { atMs }] of runs.entries()) {
    if (n > 0) assert(atMs - runs[n - 1]!.atMs >= 200, `run ${n} came too early`)
  }
  assert(runs.every(({ attempt }) => attempt === 1))
  const statuses = fleet.flatMap(({ attempts }) => attempts.map(({ status }) => status))
  assert.equal(statuses.filter((status) => status === 'panic').length, 3)
  await Promise.all(fleet.map((workers) => workers.stop(1_000)))
})

test('registering again changes nothing, unless the pause became shorter', async () => {
  await pool.query('delete from jobs.job')
  const kind = { kind: 'daily', queue: QUEUE, everySeconds: 86_400, run: async () => ({ outcome: 'ok' as const }) }
  await Promise.all([registerSchedules(pool, [kind]), registerSchedules(pool, [kind])])
  await pool.query(
    `update jobs.job set start_after = now() + interval '20 hours', created_on = now() + interval '20 hours'`,
  )
  const dueInHours = async () => (await jobRows(pool)).map(({ dueInMs }) => Math.round(dueInMs / 3_600_000))
  await registerSchedules(pool, [kind])
  assert.deepEqual(await dueInHours(), [20])
  await registerSchedules(pool, [{ ...kind, everySeconds: 3_600 }])
  assert.deepEqual(await dueInHours(), [1])
})
