import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { suite, type TestContext, test } from 'node:test'
import { claim } from './claim.ts'
import { expireClaims } from './expire-claims.ts'
import { OrphanFinder } from './find-orphans.ts'
import type { JobHandler } from './outcome.ts'
import { keepAlive } from './settle.ts'
import { commitJobs, eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'
import type { WorkerMessage } from './testing-worker.ts'

/** Ten seconds, and what a busy machine adds. */
const BACK_WITHIN_MS = 20_000
/** Less than a heartbeat lasts. */
const EXPIRED_BACK_WITHIN_MS = 12_000
const killed = await jobsDatabase()
const paused = await jobsDatabase()
const alone = await jobsDatabase()
const looked = await jobsDatabase()

function startWorkerProcess(t: TestContext, url: string): { child: ChildProcess; messages: WorkerMessage[] } {
  const child = fork(new URL('testing-worker.ts', import.meta.url), [url], { execArgv: [] })
  t.after(() => child.kill('SIGKILL'))
  const messages: WorkerMessage[] = []
  child.on('message', (message) => messages.push(message as WorkerMessage))
  return { child, messages }
}

const startedCount = (messages: WorkerMessage[]) => messages.filter((message) => 'started' in message).length

test('a job is given back when it is seen silent twice, with the same last word', async () => {
  const { pool } = looked
  await commitJobs(pool, [{ queue: QUEUE, kind: 'held' }])
  const request = {
    queue: QUEUE,
    kinds: ['held'],
    heldKinds: [],
    jobsMax: 1,
    priorityMin: 0,
    groupMax: 1,
    running: new Map(),
  }
  const claimed = await claim(pool, request)
  const age = () => pool.query(`update jobs.job_common set heartbeat_on = now() - interval '1 minute'`)
  const finder = new OrphanFinder(pool, QUEUE)
  assert.equal(await finder.look(0), 0, 'alive')
  await age()
  assert.equal(await finder.look(1_000), 0, 'seen for the first time')
  await keepAlive(pool, QUEUE, claimed)
  await age()
  assert.equal(await finder.look(5_000), 0, 'it has spoken since')
  assert.equal(await finder.look(7_999), 0, 'not for long')
  assert.equal(await finder.look(8_000), 1)
  assert.deepEqual(await keepAlive(pool, QUEUE, claimed), new Set(), 'it is its holder’s no more')
  const [again] = await claim(pool, request)
  assert.equal(again?.attempt, 2)
})

suite('jobs of a process that falls silent', { concurrency: true }, () => {
  test('run again within 10 s after it was killed, while long jobs of a living one stay its own', async (t) => {
    const { pool, url } = killed
    const living = startWorkerProcess(t, url)
    await commitJobs(pool, [{ queue: QUEUE, kind: 'held' }])
    await eventually('the living process has a job', () => startedCount(living.messages) === 1)
    const doomed = startWorkerProcess(t, url)
    await commitJobs(
      pool,
      Array.from({ length: 9 }, () => ({ queue: QUEUE, kind: 'held' })),
    )
    await eventually('both are at work', () => startedCount(living.messages) + startedCount(doomed.messages) === 10)
    doomed.child.kill('SIGKILL')
    await once(doomed.child, 'exit')
    const killedMs = performance.now()
    const again: number[] = []
    const run: JobHandler['run'] = async ({ attempt }) => {
      again.push(attempt)
      return { outcome: 'ok' }
    }
    const workers = workersOf(t, { pool, kinds: [{ kind: 'held', queue: QUEUE, run }] })
    await eventually('they run again', () => again.length === startedCount(doomed.messages), BACK_WITHIN_MS)
    t.diagnostic(`after ${Math.round(performance.now() - killedMs)} ms`)
    assert(again.every((attempt) => attempt === 2))
    await eventually('they are done', async () => (await jobRows(pool)).length === startedCount(living.messages))
    assert((await jobRows(pool)).every(({ state, retry_count }) => state === 'active' && retry_count === 0))
    living.child.send('end')
    await eventually('the living process ends its own', async () => (await jobRows(pool)).length === 0)
    assert(!living.messages.some((message) => 'trouble' in message))
    await workers.stop(1_000)
  })

  test('run again sooner when the next one knows to be alone', async (t) => {
    const { pool, url } = alone
    const doomed = startWorkerProcess(t, url)
    await commitJobs(pool, [{ queue: QUEUE, kind: 'held' }])
    await eventually('it runs there', () => startedCount(doomed.messages) === 1)
    doomed.child.kill('SIGKILL')
    await once(doomed.child, 'exit')
    await expireClaims(pool)
    const attempts: number[] = []
    const run: JobHandler['run'] = async ({ attempt }) => {
      attempts.push(attempt)
      return { outcome: 'ok' }
    }
    const workers = workersOf(t, { pool, kinds: [{ kind: 'held', queue: QUEUE, run }] })
    await eventually('it runs here', () => attempts.length === 1, EXPIRED_BACK_WITHIN_MS)
    assert.deepEqual(attempts, [2])
    await workers.stop(1_000)
  })

  test('are not settled by it when it comes back', async (t) => {
    const { pool, url } = paused
    const { child, messages } = startWorkerProcess(t, url)
    await commitJobs(pool, [{ queue: QUEUE, kind: 'held' }])
    await eventually('it runs there', () => startedCount(messages) === 1)
    child.kill('SIGSTOP')
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    let heir: number | undefined
    const run: JobHandler['run'] = async ({ attempt }) => {
      heir = attempt
      await ended
      return { outcome: 'snooze', afterMs: 3_600_000 }
    }
    const workers = workersOf(t, { pool, kinds: [{ kind: 'held', queue: QUEUE, run }] })
    await eventually('it runs here', () => heir === 2, BACK_WITHIN_MS)
    const before = await jobRows(pool)
    child.send('end')
    child.kill('SIGCONT')
    await commitJobs(pool, [{ queue: QUEUE, kind: 'probe' }])
    await eventually('the old process works again', () => messages.some((message) => 'probed' in message))
    await eventually('that job is done', async () => (await jobRows(pool)).length === 1)
    const states = (rows: typeof before) => rows.map(({ state, retry_count }) => [state, retry_count])
    assert.deepEqual(states(await jobRows(pool)), states(before))
    end()
    await eventually('the heir decides', async () => (await jobRows(pool))[0]!.dueInMs > 3_000_000)
    await workers.stop(1_000)
  })
})
