import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobHandler, nextStep } from './outcome.ts'
import { runJob } from './run-job.ts'

const kind: JobHandler = { kind: 'k', queue: 'q', run: async () => ({ outcome: 'ok' }) }
const error = new Error('no')

test('a job that went well leaves its queue', () => {
  assert.deepEqual(nextStep(kind, 1, { outcome: 'ok' }), { next: 'remove' })
})

test('a failed job waits twice as long after each attempt, up to an hour, with jitter only upwards', () => {
  const delayMs = (attempt: number, random: number) => {
    const step = nextStep({ ...kind, attemptsMax: 1_000 }, attempt, { outcome: 'error', error }, () => random)
    assert(step.next === 'wait' && step.attemptsBack === 0)
    return step.afterMs
  }
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => delayMs(attempt, 0)),
    [1_000, 2_000, 4_000, 8_000],
  )
  assert.equal(delayMs(1, 1), 1_200)
  assert.equal(delayMs(500, 0), 3_600_000)
})

test("the failure's own delay wins over the kind's, the kind's over the default", () => {
  const slow = { ...kind, retryDelayMs: (attempt: number) => attempt * 7 }
  const step = (retryAfterMs?: number) =>
    nextStep(slow, 3, { outcome: 'error', error: 'x', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  assert.deepEqual(step(), { next: 'wait', afterMs: 21, error: 'x', attemptsBack: 0 })
  assert.deepEqual(step(5), { next: 'wait', afterMs: 5, error: 'x', attemptsBack: 0 })
})

test('the last attempt that fails discards the job, unless its kind never gives up', () => {
  const outcome = { outcome: 'error', error: 'x' } as const
  assert.equal(nextStep(kind, 9, outcome).next, 'wait')
  assert.deepEqual(nextStep(kind, 10, outcome), { next: 'discard', error: 'x' })
  assert.equal(nextStep({ ...kind, attemptsMax: Number.POSITIVE_INFINITY }, 1e6, outcome).next, 'wait')
})

test('a snooze uses up no attempt, even after the last one', () => {
  assert.deepEqual(nextStep(kind, 10, { outcome: 'snooze', afterMs: 30 }), {
    next: 'wait',
    afterMs: 30,
    error: null,
    attemptsBack: 1,
  })
})

test('work that gets on has all its attempts again, whatever has failed before', () => {
  assert.deepEqual(nextStep(kind, 9, { outcome: 'more' }), { next: 'wait', afterMs: 0, error: null, attemptsBack: 9 })
})

test('the trouble of a database is nobody’s failed attempt: a second later it is tried again, after the last one too', () => {
  const step = (random: number) => nextStep(kind, 10, { outcome: 'database', error: 'x' }, () => random)
  const wait = { next: 'wait', error: 'x', attemptsBack: 1 }
  assert.deepEqual(
    [step(0), step(1)],
    [
      { ...wait, afterMs: 1_000 },
      { ...wait, afterMs: 2_000 },
    ],
  )
})

test('what the database threw at a run is told from what the run did wrong', async () => {
  const job = {
    id: '1',
    queue: 'q',
    kind: 'k',
    payload: {},
    attempt: 1,
    priority: 0,
    groupKey: null,
    singletonKey: null,
  }
  const ran = async (handler: Partial<JobHandler>, code: string) => {
    const thrown = Object.assign(new Error('x'), { code })
    const run = () => Promise.reject(thrown)
    const result = await runJob({ ...kind, ...handler, run }, job, new AbortController().signal).result
    return result === 'abandoned' ? result : `${result.status} ${result.outcome.outcome}`
  }
  const endless = { attemptsMax: Number.POSITIVE_INFINITY }
  assert.deepEqual(
    await Promise.all([
      ran({}, '57P01'),
      ran({}, '55P03'),
      ran(endless, '57014'),
      ran({}, '57014'),
      ran(endless, '23505'),
    ]),
    ['error database', 'error database', 'error database', 'panic error', 'panic error'],
  )
})

test('a schedule waits for its next time whatever happened', () => {
  const schedule = { ...kind, everySeconds: 60 }
  const wait = { next: 'wait', afterMs: 60_000, attemptsBack: 1 }
  assert.deepEqual(nextStep(schedule, 1, { outcome: 'ok' }), { ...wait, error: null })
  assert.deepEqual(nextStep(schedule, 99, { outcome: 'error', error: 'x' }), { ...wait, error: 'x' })
})

test('an error is kept as text that PostgreSQL takes, and not whole when it is long', () => {
  const step = nextStep(kind, 1, { outcome: 'error', error: `a\0b${'c'.repeat(10_000)}` })
  assert(step.next === 'wait')
  assert.equal(step.error?.slice(0, 3), 'abc')
  assert(step.error.length <= 2_000)
})
