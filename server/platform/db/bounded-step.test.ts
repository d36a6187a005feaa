import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { boundedStep, STEP_MS_MAX, StepSize } from './bounded-step.ts'
import { databaseOutcome, errorCode } from './errors.ts'
import { SQLSTATE } from './sqlstates.ts'
import { ALL_WORKSPACES, type Transaction } from './transaction.ts'

const { pool } = await testWorkspace()
await pool.query('create table walked (n integer primary key)')

/** Writes rows, each of which takes a while, and nothing of a try that was too much. */
function walk(msPerRow: number) {
  const tried: number[] = []
  const work = async (tx: Transaction, rows: number) => {
    tried.push(rows)
    const { rows: last } = await tx.query<{ n: number }>('select coalesce(max(n), 0)::int as n from walked')
    await tx.query('insert into walked select n from generate_series($1::int + 1, $1::int + $2::int) n', [
      last[0]!.n,
      rows,
    ])
    await tx.query('select pg_sleep($1)', [(rows * msPerRow) / 1_000])
    return rows
  }
  return { tried, work }
}

test('a step that is too much is undone and done in halves, and none is open longer than its limit', async () => {
  const { tried, work } = walk(100)
  const size = new StepSize(64)
  // 6.4 s of work by rows: nothing above three of them fits into 400 ms.
  const done = await boundedStep(pool, ALL_WORKSPACES, { size, work, msMax: 400 })
  assert.deepEqual(tried.slice(0, 3), [64, 32, 16])
  assert.ok(done <= 4, `${done} rows`)
  const { rows } = await pool.query<{ count: string }>('select count(*) as count from walked')
  assert.equal(rows[0]!.count, String(done))
})

test('the time is that of the whole transaction, however many statements it has', async () => {
  const work = async (tx: Transaction) => {
    for (let n = 0; n < 100; n++) await tx.query('select pg_sleep(0.05)')
  }
  await assert.rejects(boundedStep(pool, ALL_WORKSPACES, { size: new StepSize(1), work, msMax: 300 }), (error) => {
    return errorCode(error) === SQLSTATE.queryCanceled
  })
})

test('a process that stands still in the middle of a step loses it', async () => {
  const still = new Int32Array(new SharedArrayBuffer(4))
  const work = async (tx: Transaction) => {
    await tx.query('select pg_current_xact_id()')
    Atomics.wait(still, 0, 0, 1_500)
    await tx.query('select')
  }
  const stalled = boundedStep(pool, ALL_WORKSPACES, { size: new StepSize(1), work, msMax: 200 })
  await assert.rejects(stalled, (error) => databaseOutcome(error) === 'away')
})

test('a single row that is too much is an error, and any other error is not tried again', async () => {
  const { tried, work } = walk(5_000)
  await assert.rejects(boundedStep(pool, ALL_WORKSPACES, { size: new StepSize(2), work, msMax: 200 }))
  assert.deepEqual(tried, [2, 1])
  let tries = 0
  const wrong = async (tx: Transaction) => {
    tries++
    await tx.query('select from nothing_of_that_name')
  }
  await assert.rejects(boundedStep(pool, ALL_WORKSPACES, { size: new StepSize(8), work: wrong }))
  assert.equal(tries, 1)
})

test('steps grow while they are quick and shrink when they are not, up to what they began with', () => {
  const size = new StepSize(1_000)
  size.took(700)
  assert.equal(size.rows, 500)
  size.took(150)
  assert.equal(size.rows, 500, 'neither quick nor slow')
  for (let n = 0; n < 3; n++) size.took(10)
  assert.equal(size.rows, 1_000)
  assert.ok(STEP_MS_MAX < 1_000)
})
