import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import type { Clock } from '../clock.ts'
import { createRecorder } from './recorder.ts'

const AWAY = Object.assign(new Error('terminating connection'), { code: '57P01' })
const LATE = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
const CLOSED = new Error('Cannot use a pool after calling end on the pool')
const REFUSED = Object.assign(new Error('violates a check'), { code: '23514' })

/** A clock on which every wait is over as soon as others have had their turn. */
const AT_ONCE: Clock = {
  nowMs: () => 0,
  after(_ms, run) {
    const turn = setImmediate(run)
    return () => clearImmediate(turn)
  },
}

/** A recorder over a database that does as `answer` says with each commit. */
function recording(
  answer: (items: readonly number[]) => unknown = () => undefined,
  wasWritten?: (batch: number) => Promise<boolean>,
) {
  const commits: number[][] = []
  const errors: unknown[] = []
  const recorder = createRecorder<number>({
    itemsMax: 10,
    clock: AT_ONCE,
    ...(wasWritten ? { wasWritten } : {}),
    onError: (error) => errors.push(error),
    async writeAll(items) {
      commits.push([...items])
      const error = await answer(items)
      if (error instanceof Error) throw error
    },
  })
  return { ...recorder, commits, errors }
}

test('items that come while a commit is under way share the next one', async () => {
  const { record, commits } = recording(() => new Promise((resolve) => setImmediate(resolve)))
  assert.deepEqual(await Promise.all([1, 2, 3].map(record)), [true, true, true])
  assert.deepEqual(commits, [[1], [2, 3]])
})

test('an item that is refused alone is given up, the others are written', async () => {
  const { record, errors } = recording((items) => (items.includes(2) ? REFUSED : undefined))
  assert.deepEqual(await Promise.all([1, 2, 3].map(record)), [true, false, true])
  assert.ok(errors.length > 0 && errors.every((error) => error === REFUSED))
})

test('less of an item is written where all of it cannot be, also when the database is away at first', async () => {
  const less: number[] = []
  let away = 2
  const errors: unknown[] = []
  const recorder = createRecorder<number>({
    itemsMax: 10,
    clock: AT_ONCE,
    onError: (error) => errors.push(error),
    async writeAll(items) {
      if (items.some((item) => item > 1)) throw REFUSED
    },
    async writeLess(item) {
      less.push(item)
      if (away-- > 0) throw AWAY
      if (item === 3) throw REFUSED
    },
  })
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map(recorder.record)), [true, true, false, true])
  assert.deepEqual(less, [2, 2, 2, 3, 4])
  assert.ok(errors.includes(REFUSED))
})

test('an outage is waited out, and told once', async () => {
  let left = 3
  const { record, errors } = recording(() => (left-- > 0 ? AWAY : undefined))
  assert.deepEqual(await Promise.all([1, 2].map(record)), [true, true])
  assert.deepEqual(errors, [AWAY])
})

test('a commit that takes too long time and again is tried in halves, down to the item that does, behind the others', async () => {
  const slow = (items: readonly number[]) => (items.includes(2) || items.length > 2 ? LATE : undefined)
  const { record, stop, commits } = recording(slow)
  const recorded = [1, 2, 3, 4].map(record)
  assert.deepEqual(await Promise.all([recorded[0], recorded[2], recorded[3]]), [true, true, true])
  assert.equal(await stop(0), 1)
  assert.equal(await recorded[1], false)
  assert.deepEqual(commits.filter((items, n) => String(items) !== String(commits[n - 1])).slice(0, 5), [
    [1],
    [2, 3, 4],
    [2, 3],
    [2],
    [3],
  ])
})

test('what may be written only once is split only where its first commit is known never to come', async () => {
  const asked: number[] = []
  const written: Record<number, boolean> = { 2: true }
  const slow = (items: readonly number[]) => (items.length > 1 ? LATE : undefined)
  const settle = async (batch: number) => {
    asked.push(batch)
    return written[batch] ?? false
  }
  const { record, commits } = recording(slow, settle)
  assert.deepEqual(await Promise.all([1, 2, 3].map(record)), [true, true, true])
  assert.deepEqual(asked, [2])
  written[2] = false
  const other = recording(slow, settle)
  assert.deepEqual(await Promise.all([1, 2, 3].map(other.record)), [true, true, true])
  assert.deepEqual(
    [commits.at(-1), other.commits.slice(-2)],
    [
      [2, 3],
      [[2], [3]],
    ],
  )
})

test('a pool that was ended is not waited for', async () => {
  const { record, commits, errors } = recording(() => CLOSED)
  assert.deepEqual(await Promise.all([1, 2].map(record)), [false, false])
  assert.equal(await record(3), false)
  assert.deepEqual([commits, errors], [[[1]], [CLOSED]])
})

test('a stop lets what waits be written', async () => {
  const { record, stop, commits } = recording()
  const recorded = [1, 2, 3].map(record)
  assert.equal(await stop(60_000), 0)
  assert.deepEqual(await Promise.all(recorded), [true, true, true])
  assert.deepEqual(commits, [[1], [2, 3]])
  assert.equal(await record(4), false)
})

test('a stop while the database is away gives up in time, says how much, and nothing goes on', async () => {
  const { record, stop, commits } = recording(() => AWAY)
  const recorded = [1, 2, 3].map(record)
  await eventually('it is being tried', () => commits.length > 1)
  assert.equal(await stop(0), 3)
  assert.deepEqual(await Promise.all(recorded), [false, false, false])
  const tried = commits.length
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(commits.length, tried)
})

test('a stop does not wait for a commit that hangs', async () => {
  const { record, stop } = recording(() => new Promise(() => undefined))
  const recorded = record(1)
  assert.equal(await stop(1), 1)
  assert.equal(await recorded, false)
})
