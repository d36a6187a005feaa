import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { createRecorder } from './recorder.ts'

const AWAY = Object.assign(new Error('terminating connection'), { code: '57P01' })
const CLOSED = new Error('Cannot use a pool after calling end on the pool')
const REFUSED = Object.assign(new Error('violates a check'), { code: '23514' })

/** A recorder over a database that does as `answer` says with each commit. */
function recording(answer: (items: readonly number[]) => unknown = () => undefined) {
  const commits: number[][] = []
  const errors: unknown[] = []
  const recorder = createRecorder<number>({
    itemsMax: 10,
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

test('an outage is waited out, and told once', async () => {
  let left = 3
  const { record, errors } = recording(() => (left-- > 0 ? AWAY : undefined))
  assert.deepEqual(await Promise.all([1, 2].map(record)), [true, true])
  assert.deepEqual(errors, [AWAY])
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
