import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ThreadJob } from '../../test/support/limited-thread-jobs.ts'
import { createLimitedThread, type LimitedThread, type ThreadLimits } from './limited-thread.ts'

const JOBS = new URL('../../test/support/limited-thread-jobs.ts', import.meta.url)
const LIMITS = { cpuMs: 100, wallMs: 60_000, heapMb: 48, idleMs: 60_000, waitingMax: 20 }

const made: LimitedThread<ThreadJob, string>[] = []
function threadWith(limits: Partial<ThreadLimits> = {}): LimitedThread<ThreadJob, string> {
  const thread = createLimitedThread<ThreadJob, string>(JOBS, { ...LIMITS, ...limits })
  made.push(thread)
  return thread
}
after(() => Promise.all(made.map((thread) => thread.close())))

test('a job that takes too long is stopped, and the next one is done', async () => {
  const thread = threadWith()
  const outcomes = await Promise.all([thread.run('work'), thread.run('answer')])
  assert.deepEqual(outcomes, [{ outcome: 'stopped', reason: 'time' }, 'done'])
})

test('a job that takes too much memory ends its thread and nothing else, and the next one is done', async () => {
  const thread = threadWith({ cpuMs: 60_000 })
  const outcomes = await Promise.all([thread.run('grow'), thread.run('answer')])
  assert.deepEqual(outcomes, [{ outcome: 'stopped', reason: 'memory' }, 'done'])
})

test('a job that breaks its thread breaks no other', async () => {
  const thread = threadWith()
  const outcomes = await Promise.all([thread.run('throw'), thread.run('answer')])
  assert.deepEqual(outcomes, [{ outcome: 'stopped', reason: 'memory' }, 'done'])
})

test('more jobs than can wait are told at once', async () => {
  const thread = threadWith({ cpuMs: 60_000 })
  const outcomes = await Promise.all(Array.from({ length: 25 }, () => thread.run('answer')))
  assert.deepEqual(outcomes.slice(0, 20), Array(20).fill('done'))
  assert.deepEqual(outcomes.slice(20), Array(5).fill({ outcome: 'busy' }))
})

test('one owner has so many jobs under way and no more, and others have their turns between them', async () => {
  const thread = threadWith({ waitingOfOneMax: 2 })
  const ended: string[] = []
  const run = async (job: ThreadJob, owner: string, name: string) => {
    const outcome = await thread.run(job, owner)
    ended.push(name)
    return outcome
  }
  const stopped = { outcome: 'stopped', reason: 'time' }
  const jobs = [
    run('work', 'a', 'first'),
    run('work', 'a', 'second'),
    run('answer', 'a', 'third'),
    run('answer', 'b', 'other'),
  ]
  assert.deepEqual(await Promise.all(jobs), [stopped, stopped, { outcome: 'busy' }, 'done'])
  assert.deepEqual(ended, ['third', 'first', 'other', 'second'])
  assert.equal(await thread.run('answer', 'a'), 'done')
})

test('a job that has waited too long for its start is not begun', async () => {
  const thread = threadWith({ startMs: 50 })
  const outcomes = await Promise.all([thread.run('work'), thread.run('work'), thread.run('answer')])
  assert.deepEqual(outcomes, [{ outcome: 'stopped', reason: 'time' }, { outcome: 'busy' }, { outcome: 'busy' }])
  assert.equal(await thread.run('answer'), 'done')
})

test('a thread that was ended starts again when there is work', async () => {
  const thread = threadWith()
  for (let n = 0; n < 2; n += 1) {
    assert.equal(await thread.run('answer'), 'done')
    await thread.close()
  }
})
