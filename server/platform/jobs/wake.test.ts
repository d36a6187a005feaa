import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createPool } from '../db/pool.ts'
import type { JobHandler } from './outcome.ts'
import { commitJobs, eventually, jobsDatabase, QUEUE, workersOf } from './testing.ts'
import { createWaker, isWakeOf, signalOf, subjectOf } from './wake.ts'

const { pool, url } = await jobsDatabase()
const elsewhere = createPool({ name: 'pgx', url, max: 2 })
after(() => elsewhere.end())

/** Longer than anybody waits here: what runs was woken. */
const POLL_NEVER_MS = 86_400_000
let ran = 0
const kind: JobHandler = {
  kind: 'woken',
  queue: QUEUE,
  async run() {
    ran++
    return { outcome: 'ok' }
  },
}

/** Has jobs come one by one, at irregular times: each has run before the next one comes. */
async function runOneByOne(count: number, wake: () => void): Promise<void> {
  for (let n = 0; n < count; n++) {
    await delay(Math.random() * 20)
    const before = ran
    await commitJobs(elsewhere, [{ queue: QUEUE, kind: 'woken' }])
    wake()
    await eventually(`job ${n} runs`, () => ran > before)
  }
}

const isListening = async () => {
  const { rows } = await elsewhere.query(`
    select pid from pg_stat_activity where datname = current_database() and query in ('listen postroom_jobs', 'select 1')`)
  return rows.length > 0
}

test('a woken worker of this process starts each job at once, however soon after the last', async (t) => {
  const workers = workersOf(t, { pool, kinds: [kind], queue: { pollMs: POLL_NEVER_MS } })
  await runOneByOne(100, workers.wake)
  await workers.stop(1_000)
})

test('a worker of another process is woken too, and again after its listening connection was lost', async (t) => {
  const workers = workersOf(t, { pool, kinds: [kind], queue: { pollMs: POLL_NEVER_MS } })
  const waker = createWaker(elsewhere)
  await eventually('it listens', isListening)
  await runOneByOne(60, () => waker.wake(QUEUE))
  await elsewhere.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query in ('listen postroom_jobs', 'select 1')`)
  await eventually('the loss was noticed', () => workers.troubles.some(({ trouble }) => trouble === 'failing'))
  const before = ran
  await commitJobs(elsewhere, [{ queue: QUEUE, kind: 'woken' }])
  await eventually('a signal missed meanwhile is made good', () => ran > before)
  await eventually('it listens again', isListening)
  await runOneByOne(5, () => waker.wake(QUEUE))
  assert.deepEqual(
    workers.troubles.map(({ trouble }) => trouble),
    ['failing', 'recovered'],
  )
  await workers.stop(1_000)
})

test('without any signal polling finds a job', async (t) => {
  const workers = workersOf(t, { pool, kinds: [kind], queue: { pollMs: 500 } })
  await eventually('it listens', isListening)
  await runOneByOne(5, () => undefined)
  await workers.stop(1_000)
})

test('a pool that nobody listens to notifies nobody, and many wakes are one signal', async () => {
  const listener = new pg.Client(url)
  const heard: string[] = []
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''))
  await listener.connect()
  await listener.query('listen postroom_jobs')
  await commitJobs(elsewhere, [{ queue: 'other', kind: 'woken' }])
  await listener.query('select 1')
  assert.deepEqual(heard, [])
  const waker = createWaker(elsewhere)
  for (let n = 0; n < 1_000; n++) waker.wake('other')
  await eventually('the signal is heard', () => heard.length > 0)
  assert(heard.length <= 2, `${heard.length} signals`)
  await listener.end()
})

test('each of many subjects is told of, those of a moment in one statement', async () => {
  const listener = new pg.Client(url)
  const heard = new Set<string>()
  // Signals of the test before may come now, too.
  listener.on('notification', ({ payload = '' }) => {
    const signal = payload.split(' ')[1]!
    if (isWakeOf('subjects', signal)) heard.add(signal)
  })
  await listener.connect()
  await listener.query('listen postroom_jobs')
  let statements = 0
  const counting = new Proxy(elsewhere, {
    get: (pool, name) => {
      if (name === 'query') statements++
      const value: unknown = Reflect.get(pool, name)
      return typeof value === 'function' ? value.bind(pool) : value
    },
  })
  const waker = createWaker(counting)
  for (let n = 0; n < 1_000; n++) waker.wake(signalOf('subjects', String(n)))
  await eventually('all are heard', () => heard.size === 1_000)
  assert.equal(statements, 2)
  assert(isWakeOf('subjects', 'subjects/7') && !isWakeOf('subject', 'subjects/7'))
  assert.deepEqual(['subjects/7', 'subjects', '*'].map(subjectOf), ['7', undefined, undefined])
  await listener.end()
})
