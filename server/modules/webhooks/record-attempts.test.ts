import assert from 'node:assert/strict'
import test from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import {
  attemptRows,
  beginNamed,
  type LaneBench,
  laneBench,
  laneRow,
  makeDue,
  newLane,
  queueRows,
  resultFor,
} from '../../../test/support/lanes.ts'
import { secondProcess } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import type { Lane } from './lanes.ts'
import { type AttemptResult, recordAttempts } from './record-attempts.ts'

const bench = await laneBench()
const { pool, workspaceId } = bench

/** A lane with deliveries under way. */
async function underWay(count: number) {
  const lane = await newLane(bench)
  await makeDue(bench, lane, count)
  const claimed = await claimDeliveries(pool, await beginNamed(bench, lane), count)
  assert.equal(claimed.length, count)
  return { lane, claimed }
}

async function deliveryStates({ pool }: LaneBench, lane: Lane): Promise<string[]> {
  const rows = await queryInScope<{ state: string }>(pool, workspaceId, {
    text: 'select state from deliveries where endpoint_id = $1 order by id',
    values: [lane.endpointId],
  })
  return rows.map(({ state }) => state)
}

test('results of many endpoints are written together: the log, the next step, how each receiver fares', async () => {
  const [good, bad] = [await underWay(3), await underWay(3)]
  const results = [
    ...good.claimed.map((claimed) => resultFor(claimed)),
    resultFor(bad.claimed[0]!, { nextInMs: 5_000 }),
    resultFor(bad.claimed[1]!, { nextInMs: undefined }),
    { ...resultFor(bad.claimed[2]!, { nextInMs: 0 }), outcome: 'refused' as const, status: null },
  ]
  assert.equal(await recordAttempts(pool, results), 6)
  assert.deepEqual(await deliveryStates(bench, good.lane), ['delivered', 'delivered', 'delivered'])
  assert.deepEqual(await deliveryStates(bench, bad.lane), ['pending', 'discarded', 'pending'])
  assert.deepEqual(await queueRows(bench, good.lane), [])
  const waiting = await queueRows(bench, bad.lane)
  assert.deepEqual(
    waiting.map(({ id, turn, attempt }) => [id, turn, attempt]),
    [
      [bad.claimed[0]!.deliveryId, null, 1],
      [bad.claimed[2]!.deliveryId, null, 1],
    ],
  )
  assert.equal(waiting[0]!.isDue, false)
  assert.deepEqual(
    (await attemptRows(bench, bad.lane)).map(({ outcome }) => outcome),
    ['failed', 'failed', 'refused'],
  )
  assert.equal((await laneRow(bench, good.lane)).failing, false)
  assert.equal((await laneRow(bench, bad.lane)).failing, true)
})

test('one success among failures is no failing endpoint', async () => {
  const { lane, claimed } = await underWay(4)
  await recordAttempts(pool, [resultFor(claimed[0]!, { nextInMs: 1 }), resultFor(claimed[1]!)])
  assert.equal((await laneRow(bench, lane)).failing, false)
  await recordAttempts(pool, [resultFor(claimed[2]!, { nextInMs: 1 })])
  assert.equal((await laneRow(bench, lane)).failing, true)
  await recordAttempts(pool, [resultFor(claimed[3]!)])
  assert.equal((await laneRow(bench, lane)).failing, false)
})

test('whatever a receiver answers can be kept', async () => {
  const { lane, claimed } = await underWay(1)
  const response = '\0 \ud800 \u{10ffff} \\x00 {"a":"\u0000"}'
  assert.equal(await recordAttempts(pool, [{ ...resultFor(claimed[0]!), response, error: 'a\0b' }]), 1)
  const [row] = await queryInScope<{ response: string; error: string }>(pool, workspaceId, {
    text: 'select response, error from delivery_attempts where delivery_id = $1',
    values: [claimed[0]!.deliveryId],
  })
  assert.equal(row!.response, '\ufffd \ufffd \u{10ffff} \\x00 {"a":"\ufffd"}')
  assert.equal(row!.error, 'a\ufffdb')
  assert.deepEqual(await deliveryStates(bench, lane), ['delivered'])
})

test('a process whose clock is years off records like any other', async () => {
  const { lane, claimed } = await underWay(2)
  const results = [
    { ...resultFor(claimed[0]!), startedAt: new Date('2001-01-01') },
    { ...resultFor(claimed[1]!), startedAt: new Date('2101-01-01') },
  ]
  assert.equal(await recordAttempts(pool, results), 2)
  assert.deepEqual(await deliveryStates(bench, lane), ['delivered', 'delivered'])
})

test('a result that cannot be written as it is counts without its log entry, and keeps none of the others from being recorded', async () => {
  const { lane, claimed } = await underWay(5)
  const errors: unknown[] = []
  const recorder = createAttemptRecorder(pool, (error) => errors.push(error))
  const results: AttemptResult[] = claimed.map((each) => resultFor(each))
  const unwritable = 'nonsense' as 'failed'
  results[1] = { ...resultFor(claimed[1]!, { nextInMs: 60_000 }), outcome: unwritable }
  results[2] = { ...results[2]!, outcome: unwritable }
  assert.ok((await Promise.all(results.map((result) => recorder.record(result)))).every((written) => written))
  assert.ok(errors.length > 0, 'nobody was told')
  const states = ['delivered', 'pending', 'discarded', 'delivered', 'delivered']
  assert.deepEqual(await deliveryStates(bench, lane), states)
  assert.deepEqual(await queueRows(bench, lane), [{ id: claimed[1]!.deliveryId, attempt: 1, turn: null, isDue: false }])
  assert.deepEqual(
    (await attemptRows(bench, lane)).map(({ id }) => id),
    [0, 3, 4].map((n) => claimed[n]!.deliveryId),
  )
})

test('while the database does not answer, results wait; then they are recorded', async () => {
  const { lane, claimed } = await underWay(3)
  const errors: unknown[] = []
  const hasty = secondProcess(bench.database, { patient: false })
  const recorder = createAttemptRecorder(hasty, (error) => errors.push(error))
  const holder = await pool.connect()
  await holder.query('begin; lock table delivery_attempts in exclusive mode')
  const recorded = Promise.all(claimed.map((each) => recorder.record(resultFor(each))))
  await eventually('the first try has failed', () => errors.length > 0)
  await holder.query('commit')
  holder.release()
  await recorded
  assert.deepEqual(await deliveryStates(bench, lane), ['delivered', 'delivered', 'delivered'])
  assert.equal((await attemptRows(bench, lane)).length, 3, 'an attempt was logged twice')
})

test('claims and results of deliveries are planned once a connection', async () => {
  const alone = secondProcess(bench.database, { connections: 1 })
  const lane = await newLane(bench)
  await makeDue(bench, lane, 3)
  const turn = await beginNamed(bench, lane)
  for (let n = 0; n < 3; n += 1) {
    const claimed = await claimDeliveries(alone, turn, 1)
    assert.equal(
      await recordAttempts(
        alone,
        claimed.map((one) => resultFor(one)),
      ),
      1,
    )
  }
  assert.deepEqual(await deliveryStates(bench, lane), ['delivered', 'delivered', 'delivered'])
  const { rows } = await alone.query(
    `select name, custom_plans from pg_prepared_statements where name in ('claim_deliveries', 'record_attempts') order by name`,
  )
  assert.deepEqual(rows, [
    { name: 'claim_deliveries', custom_plans: '0' },
    { name: 'record_attempts', custom_plans: '0' },
  ])
})
