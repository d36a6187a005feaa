import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { JobHandler } from './outcome.ts'
import { commitJobs, eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'

const OUTAGES = 3
const OUTAGE_MS = 700
/** A claim whose answer was lost on the way comes back as an orphan. */
const DRAINED_WITHIN_MS = 45_000

const { pool, name, superuserUrl } = await jobsDatabase()
const operator = new pg.Client(Object.assign(new URL(superuserUrl), { pathname: '/postgres' }).href)
await operator.connect()
after(() => operator.end())

async function endConnections(): Promise<void> {
  await operator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
}

test('while the database comes and goes no job is lost, and every loop says so once', async (t) => {
  const ran = new Map<number, number>()
  const run: JobHandler['run'] = async ({ payload }) => {
    const n = Number(payload.n)
    ran.set(n, (ran.get(n) ?? 0) + 1)
    await delay(5)
    return { outcome: 'ok' }
  }
  const workers = workersOf(t, { pool, kinds: [{ kind: 'a', queue: QUEUE, run }] })
  const acknowledged: number[] = []
  let n = 0
  let isOver = false
  const producing = (async () => {
    while (!isOver) {
      const batch = [n++, n++, n++]
      const committed = await commitJobs(
        pool,
        batch.map((n) => ({ queue: QUEUE, kind: 'a', payload: { n } })),
      ).then(
        () => true,
        () => false,
      )
      if (committed) acknowledged.push(...batch)
      workers.wake()
      await delay(committed ? 2 : 20)
    }
  })()

  for (let outage = 0; outage < OUTAGES; outage++) {
    const before = ran.size
    await eventually('jobs flow', () => ran.size > before + 50)
    await operator.query(`alter database ${name} with allow_connections false`)
    await endConnections()
    await delay(OUTAGE_MS)
    await operator.query(`alter database ${name} with allow_connections true`)
  }
  const before = ran.size
  await eventually('jobs flow again', () => ran.size > before + 50)
  isOver = true
  await producing
  await eventually('everything ran', async () => (await jobRows(pool)).length === 0, DRAINED_WITHIN_MS)

  assert.deepEqual(
    acknowledged.filter((n) => !ran.has(n)),
    [],
  )
  const failing = workers.troubles.filter((trouble) => trouble.trouble === 'failing')
  const byLoop = Map.groupBy(failing, ({ loop }) => loop)
  assert(byLoop.has('claim') && byLoop.has('listen'))
  for (const [loop, reports] of byLoop) {
    assert(reports.length <= OUTAGES, `${loop} complained ${reports.length} times`)
    // Each knows it with its next turn, which comes by its own clock.
    const recovered = () => workers.troubles.filter((one) => one.trouble === 'recovered' && one.loop === loop)
    await eventually(`${loop} is well again`, () => recovered().length === reports.length)
  }
  t.diagnostic(`${acknowledged.length} jobs, ${[...ran.values()].filter((runs) => runs > 1).length} of them ran again`)
})
