import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Job, JobHandler, Outcome } from './outcome.ts'
import { queueStats } from './queue-stats.ts'
import { commitJobs, eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'
import { TIME_OUTS_TOLD } from './time-outs.ts'

const { pool } = await jobsDatabase()
beforeEach(async () => {
  await pool.query('delete from jobs.job')
})

const kindOf = (kind: string, run: JobHandler['run'], more: Partial<JobHandler> = {}): JobHandler => ({
  kind,
  queue: QUEUE,
  run,
  ...more,
})
const ok = async (): Promise<Outcome> => ({ outcome: 'ok' })
const isEmpty = async () => (await jobRows(pool)).length === 0

/** A handler whose runs end when the test says so. */
function heldRuns() {
  const running: { job: Job; end: (outcome?: Outcome) => void }[] = []
  const run = (job: Job) =>
    new Promise<Outcome>((resolve) => {
      const entry = {
        job,
        end(outcome: Outcome = { outcome: 'ok' }) {
          running.splice(running.indexOf(entry), 1)
          resolve(outcome)
        },
      }
      running.push(entry)
    })
  const endAll = () => {
    for (const { end } of [...running]) end()
  }
  return { running, run, endAll }
}

test('each outcome has its status, a throw is a panic, a snooze uses up no attempt, and what gets on has all of them again', async (t) => {
  const outcomes: Outcome[] = [
    { outcome: 'snooze', afterMs: 1 },
    { outcome: 'error', error: new Error('not yet'), retryAfterMs: 1 },
    { outcome: 'snooze', afterMs: 1 },
    { outcome: 'more' },
    { outcome: 'ok' },
  ]
  let runs = 0
  const run = async () => {
    const outcome = outcomes[runs++]
    if (outcome?.outcome !== 'error') return outcome!
    if (runs === 2) throw outcome.error
    return outcome
  }
  const workers = workersOf(t, { pool, kinds: [kindOf('varied', run, { retryDelayMs: () => 1 })] })
  const beganMs = performance.now()
  await commitJobs(pool, [{ queue: QUEUE, kind: 'varied' }])
  await eventually('done', isEmpty)
  const tookMs = performance.now() - beganMs
  assert.deepEqual(
    workers.attempts.map(({ queue, kind, status, attempt }) => [queue, kind, status, attempt]),
    [
      [QUEUE, 'varied', 'ok', 1],
      [QUEUE, 'varied', 'panic', 1],
      [QUEUE, 'varied', 'ok', 2],
      [QUEUE, 'varied', 'ok', 2],
      [QUEUE, 'varied', 'ok', 1],
    ],
  )
  assert(workers.attempts.every(({ durationMs }) => durationMs >= 0 && durationMs <= tookMs))
})

test('a job whose attempts are used up is discarded, kept for 14 days with its error, and not run again', async (t) => {
  const kinds = [
    kindOf('hopeless', async () => ({ outcome: 'error', error: 'no\0pe' }), { attemptsMax: 3, retryDelayMs: () => 0 }),
  ]
  const workers = workersOf(t, { pool, kinds })
  await commitJobs(pool, [{ queue: QUEUE, kind: 'hopeless' }])
  await eventually('discarded', async () => (await jobRows(pool))[0]?.state === 'failed')
  const [row] = (await pool.query('select deletion_seconds, output, completed_on from jobs.job')).rows
  assert.equal(row.deletion_seconds, 14 * 24 * 3_600)
  assert.deepEqual(JSON.parse(row.output), { error: 'nope' })
  assert(row.completed_on)
  assert.deepEqual(
    workers.attempts.map(({ attempt }) => attempt),
    [1, 2, 3],
  )
  assert.equal(workers.troubles.filter(({ trouble }) => trouble === 'discarded').length, 1)
})

test('a job that is never given up tells of itself once when it goes on failing', async (t) => {
  const kinds = [
    kindOf('stubborn', async ({ attempt }) => (attempt < 8 ? { outcome: 'error', error: 'nope' } : { outcome: 'ok' }), {
      attemptsMax: Number.POSITIVE_INFINITY,
      retryDelayMs: () => 0,
    }),
  ]
  const workers = workersOf(t, { pool, kinds })
  await commitJobs(pool, [{ queue: QUEUE, kind: 'stubborn' }])
  await eventually('it worked at last', isEmpty)
  const told = workers.troubles.filter(({ trouble }) => trouble === 'job_failing')
  assert.deepEqual(
    told.map((trouble) => 'kind' in trouble && [trouble.kind, 'error' in trouble && trouble.error]),
    [['stubborn', 'nope']],
  )
})

test('a job that is never given up tells of itself once when the database has no time for it again and again', async (t) => {
  let runs = 0
  const late = async (): Promise<Outcome> => {
    if (++runs > TIME_OUTS_TOLD + 3) return { outcome: 'ok' }
    throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  }
  const kinds = [kindOf('too_much', late, { attemptsMax: Number.POSITIVE_INFINITY })]
  const workers = workersOf(t, { pool, kinds })
  await commitJobs(pool, [{ queue: QUEUE, kind: 'too_much' }])
  await eventually('it worked at last', async () => {
    await pool.query('update jobs.job set start_after = now(), created_on = now() where created_on > now()')
    workers.wake()
    return isEmpty()
  })
  const told = workers.troubles.filter(({ trouble }) => trouble === 'job_failing')
  assert.deepEqual(
    told.map((trouble) => 'kind' in trouble && trouble.kind),
    ['too_much'],
  )
})

test('a kind nobody knows is left alone, reported nowhere as an attempt, and run by whoever learns it', async (t) => {
  const old = workersOf(t, { pool, kinds: [kindOf('known', ok)] })
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'new', priority: 5 },
    { queue: QUEUE, kind: 'known' },
  ])
  await eventually('the known one is done', () => old.attempts.length === 1)
  const [row] = await jobRows(pool)
  assert.deepEqual([row?.kind, row?.state, row?.retry_count], ['new', 'created', 0])
  const next = workersOf(t, { pool, kinds: [kindOf('known', ok), kindOf('new', ok)] })
  await eventually('the new one is done', isEmpty)
  assert.deepEqual(
    next.attempts.map(({ kind, attempt }) => [kind, attempt]),
    [['new', 1]],
  )
  assert.equal(old.attempts.length, 1)
})

test('a slow job holds up nobody, and no more jobs run at once than there are places', async (t) => {
  const slow = heldRuns()
  let quick = 0
  let quickNow = 0
  let quickMost = 0
  const runQuick = async (): Promise<Outcome> => {
    quickMost = Math.max(quickMost, ++quickNow)
    await new Promise(setImmediate)
    quickNow--
    quick++
    return { outcome: 'ok' }
  }
  workersOf(t, { pool, queue: { concurrency: 4 }, kinds: [kindOf('slow', slow.run), kindOf('quick', runQuick)] })
  const jobs = [{ kind: 'slow', priority: 1 }, ...Array.from({ length: 300 }, () => ({ kind: 'quick' }))]
  await commitJobs(
    pool,
    jobs.map((job) => ({ queue: QUEUE, ...job })),
  )
  await eventually('all the quick ones are done beside it', () => quick === 300)
  assert.equal(slow.running.length, 1)
  assert.equal(quickMost, 3)
  slow.endAll()
  await eventually('the queue is empty', isEmpty)
})

test('reserved places are never taken by less important jobs', async (t) => {
  const low = heldRuns()
  const high = heldRuns()
  const kinds = [kindOf('low', low.run), kindOf('high', high.run)]
  workersOf(t, { pool, kinds, queue: { concurrency: 5, reserved: { places: 2, priorityMin: 0 } } })
  await commitJobs(
    pool,
    Array.from({ length: 20 }, () => ({ queue: QUEUE, kind: 'low', priority: -1 })),
  )
  await eventually('the others are taken', () => low.running.length === 3)
  await commitJobs(
    pool,
    Array.from({ length: 20 }, () => ({ queue: QUEUE, kind: 'high' })),
  )
  await eventually('the reserved ones are taken', () => high.running.length === 2)
  for (let n = 0; n < 10; n++) {
    low.running[0]?.end()
    await eventually('the place is taken again', () => low.running.length + high.running.length === 5)
    assert(low.running.length <= 3)
  }
  assert(high.running.length >= 4, 'important jobs come first wherever a place is free')
  while (!(await isEmpty())) {
    low.endAll()
    high.endAll()
    await new Promise(setImmediate)
  }
})

test("a group takes no more than its share, and the next group's jobs overtake its backlog", async (t) => {
  const held = heldRuns()
  workersOf(t, { pool, kinds: [kindOf('held', held.run)], queue: { concurrency: 10, groupShare: 0.5 } })
  const ofGroup = (groupKey: string, count: number) =>
    Array.from({ length: count }, () => ({ queue: QUEUE, kind: 'held', groupKey }))
  const countOf = (group: string) => held.running.filter(({ job }) => job.groupKey === group).length
  await commitJobs(pool, ofGroup('busy', 500))
  await eventually('its share is taken', () => countOf('busy') === 5)
  await commitJobs(pool, [...ofGroup('small', 3), { queue: QUEUE, kind: 'held' }])
  await eventually('the others run beside it', () => countOf('small') === 3 && held.running.length === 9)
  assert.equal(countOf('busy'), 5)
  held.running.find(({ job }) => job.groupKey === 'busy')!.end()
  await eventually('its place is taken again by its own', () => countOf('busy') === 5)
  await pool.query(`delete from jobs.job where state = 'created'`)
  held.endAll()
  await eventually('the queue is empty', isEmpty)
})

test('a stop lets running jobs end, and gives the others back at once with their attempt', async (t) => {
  const held = heldRuns()
  const signals: AbortSignal[] = []
  const stops: AbortSignal[] = []
  const kinds = [
    kindOf('held', (job, context) => {
      signals.push(context.signal)
      stops.push(context.stopping)
      return held.run(job)
    }),
  ]
  const workers = workersOf(t, { pool, kinds })
  await commitJobs(
    pool,
    [1, 2, 3].map((n) => ({ queue: QUEUE, kind: 'held', payload: { n } })),
  )
  await eventually('all run', () => held.running.length === 3)
  const left = held.running.find(({ job }) => job.payload.n === 2)!
  const stopped = workers.stop(300)
  assert(stops.every(({ aborted }) => aborted) && signals.every(({ aborted }) => !aborted))
  for (const entry of [...held.running]) if (entry !== left) entry.end()
  await commitJobs(pool, [{ queue: QUEUE, kind: 'held', payload: { n: 4 } }])
  await stopped
  assert.equal(signals.filter(({ aborted }) => aborted).length, 1)
  const other = heldRuns()
  const others = workersOf(t, { pool, kinds: [kindOf('held', other.run)] })
  await eventually('another process runs it', () => other.running.length === 2)
  assert.deepEqual(other.running.map(({ job }) => [job.payload.n, job.attempt]).sort(), [
    [2, 1],
    [4, 1],
  ])
  left.end()
  await new Promise(setImmediate)
  assert.equal((await jobRows(pool)).length, 2, 'a result after the release changes nothing')
  other.endAll()
  await eventually('the queue is empty', isEmpty)
  assert.equal(others.attempts.length, 2)
})

test('a job that a process claims again after it was taken from it is lost once, and runs on', async (t) => {
  const held = heldRuns()
  const signals: AbortSignal[] = []
  const run: JobHandler['run'] = (job, { signal }) => {
    signals.push(signal)
    return held.run(job)
  }
  const workers = workersOf(t, { pool, kinds: [kindOf('held', run)] })
  await commitJobs(pool, [{ queue: QUEUE, kind: 'held' }])
  await eventually('it runs', () => held.running.length === 1)
  // As another process does that has seen this one silent.
  await pool.query(`update jobs.job set state = 'created', heartbeat_on = null`)
  await eventually('it runs again', () => held.running.length === 2)
  await eventually('its new run is kept alive', async () => {
    const { rows } = await pool.query('select from jobs.job where heartbeat_on > started_on')
    return rows.length === 1
  })
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
  assert.deepEqual(
    workers.troubles.map(({ trouble }) => trouble),
    ['claim_lost'],
  )
  held.endAll()
  await eventually('the queue is empty', isEmpty)
})

test('a run beyond its time counts as failed and is told so', async (t) => {
  let reason: unknown
  const run: JobHandler['run'] = (_job, { signal }) =>
    new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason)))
  const workers = workersOf(t, { pool, kinds: [kindOf('endless', run, { timeoutMs: 100, attemptsMax: 1 })] })
  await commitJobs(pool, [{ queue: QUEUE, kind: 'endless' }])
  await eventually('it is discarded', async () => (await jobRows(pool))[0]?.state === 'failed')
  assert.match(String(reason), /took longer than 100 ms/)
  assert.deepEqual(
    workers.attempts.map(({ status }) => status),
    ['error'],
  )
})

test('ready jobs are counted with the age of the oldest; later, running and discarded ones are not', async () => {
  assert.deepEqual(await queueStats(pool), [])
  await commitJobs(pool, [
    { queue: QUEUE, kind: 'a', runAt: new Date(Date.now() - 60_000).toISOString() },
    { queue: QUEUE, kind: 'a' },
    { queue: QUEUE, kind: 'a', delayMs: 60_000 },
    { queue: 'other', kind: 'a', delayMs: 60_000 },
  ])
  const [stats, ...rest] = await queueStats(pool)
  assert.deepEqual(rest, [])
  assert.deepEqual([stats?.queue, stats?.ready], [QUEUE, 2])
  assert(stats!.oldestAgeSeconds >= 59 && stats!.oldestAgeSeconds < 70)
  await pool.query(`update jobs.job set state = 'active' where start_after < now() - interval '1 second'`)
  const [young] = await queueStats(pool)
  assert.equal(young?.ready, 1)
  assert(young.oldestAgeSeconds < 10)
})

test('a job that came back from its dead process too often is discarded before it runs', async (t) => {
  await commitJobs(pool, [{ queue: QUEUE, kind: 'deadly' }])
  await pool.query('update jobs.job set started_on = now(), retry_count = 9')
  const workers = workersOf(t, { pool, kinds: [kindOf('deadly', ok, { attemptsMax: 10 })] })
  await eventually('it is discarded', async () => (await jobRows(pool))[0]?.state === 'failed')
  assert.match((await jobRows(pool))[0]!.output, /died in each of 10 runs/)
  assert.deepEqual(workers.attempts, [])
})

test('two handlers of one kind are refused', (t) => {
  assert.throws(() => workersOf(t, { pool, kinds: [kindOf('twice', ok), kindOf('twice', ok)] }), /work\/twice/)
})
