import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  appendRows,
  effectsGroup,
  effectsOf,
  readAll,
  startAtEnd,
  subjects,
  watched,
} from '../../../test/support/outbox-rows.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { RANGE_ROWS_MAX } from './consumer.ts'
import { parkedRows, replayParked } from './parked.ts'

const { database, pool } = await testWorkspace()

/** A group that has parked every row of `names`, and is mended when told so. */
async function parkedGroup(name: string, names: readonly string[]) {
  let broken = true
  const mended: { follows: number } = { follows: 0 }
  const inner = effectsGroup(name, () => {
    if (broken) throw new Error('broken')
  })
  const group: typeof inner = {
    ...inner,
    async handle(tx, range) {
      await inner.handle(tx, range)
      tx.afterCommit(() => {
        mended.follows++
      })
    },
  }
  await startAtEnd(pool, group)
  const positions = await appendRows(pool, names)
  await readAll(watched(pool), group, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  const parked = async () => (await parkedRows(pool, 1_000)).filter((row) => row.consumerGroup === name)
  assert.equal((await parked()).length, names.length)
  return {
    group,
    positions,
    parked,
    mended,
    mend() {
      broken = false
    },
  }
}

test('a replayed row leaves its effects and the list, once', async () => {
  const names = subjects(3)
  const { group, positions, parked, mend, mended } = await parkedGroup('replayed', names)
  mend()
  const replays = await replayParked(pool, [group], { group: 'replayed' })
  assert.deepEqual(
    replays,
    positions.map((position) => ({ group: 'replayed', position, outcome: 'done' })),
  )
  assert.deepEqual(await effectsOf(pool, 'replayed'), names)
  assert.deepEqual(await parked(), [])
  assert.equal(mended.follows, 3)
  assert.deepEqual(await replayParked(pool, [group], { group: 'replayed' }), [])
})

test('a row that fails again stays, with its new error and one more attempt', async () => {
  const [name] = subjects(1)
  const { group, positions, parked } = await parkedGroup('still-broken', [name!])
  const [replay] = await replayParked(pool, [effectsGroup('still-broken', () => assert.fail('another \0 fault'))], {})
  assert.equal(replay?.outcome, 'failed')
  const [row] = await parked()
  assert.equal(row?.position, positions[0])
  assert.equal(row?.attempts, 6)
  assert.equal(row?.error, 'another  fault')
  assert.deepEqual(await effectsOf(pool, 'still-broken'), [])
  assert.deepEqual(await replayParked(pool, [group], { group: 'still-broken' }), [
    { group: 'still-broken', position: positions[0], outcome: 'failed', error: 'broken' },
  ])
})

test('one position, one group, or all: only what was asked for is replayed', async () => {
  const first = await parkedGroup('first', subjects(3))
  const second = await parkedGroup('second', subjects(1))
  first.mend()
  second.mend()
  const groups = [first.group, second.group]
  const one = await replayParked(pool, groups, { group: 'first', position: first.positions[1] })
  assert.deepEqual(
    one.map(({ position }) => position),
    [first.positions[1]],
  )
  assert.equal((await first.parked()).length, 2)
  assert.equal((await second.parked()).length, 1)
  assert.deepEqual(await replayParked(pool, groups, { group: 'second', position: first.positions[0] }), [])
  await replayParked(pool, groups, { group: 'first' })
  assert.equal((await first.parked()).length, 0)
  assert.equal((await second.parked()).length, 1)
})

test('a row of a group that this version does not have stays parked', async () => {
  const { parked } = await parkedGroup('abandoned', subjects(1))
  assert.deepEqual(await replayParked(pool, [], { group: 'abandoned' }), [])
  assert.equal((await parked()).length, 1)
})

test('two operators who replay at the same time leave each effect once', async () => {
  const names = subjects(20)
  const { group, mend, parked } = await parkedGroup('twice', names)
  mend()
  const other = secondProcess(database)
  await Promise.all([pool, other, pool].map((process) => replayParked(process, [group], { group: 'twice' })))
  assert.deepEqual(await effectsOf(pool, 'twice'), names)
  assert.deepEqual(await parked(), [])
})

test('the list shows the oldest first and no more than asked for', async () => {
  const { positions } = await parkedGroup('listed', subjects(3))
  const all = await parkedRows(pool, 1_000)
  assert.deepEqual(
    all.filter((row) => row.consumerGroup === 'listed').map((row) => row.position),
    positions,
  )
  assert.deepEqual(
    (await parkedRows(pool, 2)).map((row) => row.position),
    all.slice(0, 2).map((row) => row.position),
  )
})
