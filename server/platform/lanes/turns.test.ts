import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { ERRANDS, errandBench, type Lane } from './testing.ts'
import { beginTurn, endTurn } from './turns.ts'
import { wakeLanes } from './wake-lanes.ts'

const { pool, inTx, rows, newLane, laneOf, errandsOf, jobsOf, ...bench } = await errandBench()
const { add, makeDue, wake, begin, end, claim, record } = bench
const open = <T>(work: Parameters<typeof inTx<T>>[0]) => openTransaction(pool, work)
const close = (lane: Lane, isOpen = false) =>
  rows('update customers set is_open = $2 where id = $1', [lane.customerId, isOpen])

test('a lane with work due has exactly one job, however often it is woken', async () => {
  const lane = await newLane()
  assert.equal((await laneOf(lane)).state, 'idle')
  await Promise.all([makeDue(lane, 3), wake(lane), wake(lane), makeDue(lane)])
  const { state, job_id: jobId } = await laneOf(lane)
  assert.equal(state, 'waiting')
  assert.deepEqual(
    (await jobsOf(lane)).map(({ id }) => id),
    [jobId],
  )
  await begin(lane)
  await makeDue(lane)
  assert.equal((await jobsOf(lane)).length, 1, 'one that runs needs no other')
})

test('lanes are woken together, each with a job of its own', async () => {
  const lanes = await Promise.all(Array.from({ length: 20 }, () => newLane()))
  const shuffled = lanes.toSorted(() => Math.random() - 0.5)
  await Promise.all([lanes, shuffled, lanes.toReversed()].map((some) => inTx((tx) => wakeLanes(tx, ERRANDS, some))))
  for (const lane of lanes) assert.equal((await jobsOf(lane)).length, 1)
})

test('a closed lane is called by nobody and its turn ends; opened and woken, it goes on', async () => {
  const lane = await newLane()
  await close(lane)
  await makeDue(lane)
  assert.equal((await laneOf(lane)).state, 'idle')
  await close(lane, true)
  await wake(lane)
  const turn = await begin(lane)
  await close(lane)
  assert.equal(await end(turn), 'over')
  assert.equal((await laneOf(lane)).state, 'idle')
  await close(lane, true)
  await wake(lane)
  assert.equal((await claim(await begin(lane))).length, 1)
})

test('a lane that waits for later is called earlier by new work, and its first job finds itself superseded', async () => {
  const lane = await newLane()
  await makeDue(lane)
  const turn = await begin(lane)
  await rows(`update errands set due_at = now() + interval '1 hour' where customer_id = $1`, [lane.customerId])
  assert.equal(await end(turn), 'over')
  const waiting = await laneOf(lane)
  assert.deepEqual([waiting.state, Date.parse(waiting.wake_at) > Date.now() + 3_500_000], ['waiting', true])
  await makeDue(lane)
  assert.notEqual((await laneOf(lane)).job_id, waiting.job_id)
  assert.equal(await inTx((tx) => beginTurn(tx, ERRANDS, { ...lane, jobId: waiting.job_id })), undefined)
  assert.equal((await claim(await begin(lane))).length, 1)
})

test('work that is committed while a turn is ending gets a turn', async () => {
  const lane = await newLane()
  await makeDue(lane)
  const turn = await begin(lane)
  await record(await claim(turn))
  const ending = await open((tx) => endTurn(tx, ERRANDS, { turn, hasClaims: false, yieldNow: false }))
  assert.equal(ending.value, 'over')
  const adding = makeDue(lane)
  await somebodyWaits(pool)
  await ending.commit()
  await adding
  assert.equal((await laneOf(lane)).state, 'waiting')
})

test('work that is committed before a turn looks a last time keeps the turn going', async () => {
  const lane = await newLane()
  await makeDue(lane)
  const turn = await begin(lane)
  await record(await claim(turn))
  const adding = await open((tx) => add(tx, lane))
  const ending = end(turn)
  await somebodyWaits(pool)
  await adding.commit()
  assert.equal(await ending, 'more')
})

test('a lane is woken though something else of its row changes at the same moment', async () => {
  const lane = await newLane()
  const changing = await open((tx) =>
    tx.query('update errand_lanes set wake_at = null where customer_id = $1', [lane.customerId]),
  )
  const adding = makeDue(lane)
  await somebodyWaits(pool)
  await changing.commit()
  await adding
  assert.equal((await laneOf(lane)).state, 'waiting')
  assert.equal((await jobsOf(lane)).length, 1)
})

test('what a lost turn had claimed goes back, and the turn counts no more', async () => {
  const lane = await newLane()
  const [first, second] = await makeDue(lane, 2)
  const lost = await begin(lane)
  const stale = await claim(lost, 1)
  assert.equal(stale[0]!.id, first)
  const heir = await begin(lane)
  assert.equal(Number(heir.turn), Number(lost.turn) + 1)
  const [back] = await errandsOf(lane)
  assert.deepEqual([back!.turn, back!.slot, back!.attempt], [null, null, 0])
  assert.deepEqual(await lostOf([first!]), [{ id: first, attempt: 1, stays: false, because: 'lost' }])

  assert.equal(await record(stale), 0)
  assert.deepEqual(await claim(lost), [])
  assert.equal(await end(lost), 'taken_over', 'the job must outlive the turn that took it over')
  assert.equal((await laneOf(lane)).turn, heir.turn)
  const claimed = await claim(heir)
  assert.deepEqual(new Set(claimed.map(({ id }) => id)), new Set([first, second]))
  assert.equal(await record(stale), 0)
  assert.equal(await record(claimed), 2)
  assert.equal(await record(claimed), 0, 'a result counted twice')
  assert.deepEqual([await end(heir), await end(lost)], ['over', 'over'])
})

test('a turn that another lane has begun loses nothing: they share what waits, not what they have claimed', async () => {
  const lane = await newLane()
  const other = { ...lane, slot: 1 }
  await makeDue(lane, 4)
  await wake(other)
  const turn = await begin(lane)
  const claimed = await claim(turn, 2)
  const beside = await begin(other)
  assert.equal((await claim(beside)).length, 2)
  assert.equal(await end(beside, { yieldNow: true }), 'over')
  assert.equal(await record(claimed), 2)
})

test('a claim that has begun with somebody outside stays, and the lane comes back for it', async () => {
  const lane = await newLane()
  const [begun] = await makeDue(lane, 2)
  const turn = await begin(lane)
  await claim(turn)
  await rows('update errands set begun = true where id = $1', [begun])
  assert.equal(await end(turn, { yieldNow: true }), 'over')
  const left = await errandsOf(lane)
  assert.deepEqual(
    left.map(({ turn: by, attempt }) => [by, attempt]),
    [
      [turn.turn, 1],
      [null, 0],
    ],
  )
  const waiting = await laneOf(lane)
  assert.ok(Date.parse(waiting.wake_at) > Date.now() + 2_000, 'it waits, in case the answer is still to come')
  const next = await begin(lane)
  assert.deepEqual(await lostOf([begun!]), [
    { id: begun, attempt: 1, stays: true, because: 'unsent' },
    { id: begun, attempt: 1, stays: true, because: 'lost' },
  ])
  assert.equal((await claim(next)).length, 1)
})

test('a turn that yields goes behind the lanes that wait', async () => {
  const [busy, patient] = [await newLane(), await newLane()]
  await makeDue(busy, 3)
  const turn = await begin(busy)
  await claim(turn)
  await makeDue(patient)
  assert.equal(await end(turn, { yieldNow: true }), 'over')
  const named = [(await laneOf(busy)).job_id, (await laneOf(patient)).job_id]
  const { rows: order } = await pool.query(
    'select id from jobs.job_common where id = any ($1::uuid[]) order by priority desc, created_on',
    [named],
  )
  assert.deepEqual(
    order.map(({ id }) => id),
    named.toReversed(),
  )
  assert.ok((await errandsOf(busy)).every(({ turn: by, attempt }) => by === null && attempt === 0))
})

test('a paused turn ends although work is due, and the lane comes back after the pause', async () => {
  const lane = await newLane()
  await makeDue(lane)
  assert.equal(await end(await begin(lane), { pause: { afterMs: 60_000 } }), 'over')
  const { state, wake_at: wakeAt } = await laneOf(lane)
  assert.equal(state, 'waiting')
  assert.ok(Date.parse(wakeAt) > Date.now() + 50_000)
})

test('a claim and the beginning of the next turn wait for each other: nothing stays claimed by a turn that is over', async (t) => {
  // The gate holds a claim in the middle, as a slow disk would, after its process has given up on it.
  await pool.query(`create function wait_at_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return new; end $$`)
  await pool.query(`create trigger gate before update on errands
    for each row when (new.turn is not null) execute function wait_at_gate()`)
  t.after(() => pool.query('drop function wait_at_gate cascade'))

  const lane = await newLane()
  const [id] = await makeDue(lane)
  const old = await begin(lane)
  const gate = await open((tx) => tx.query('select pg_advisory_xact_lock(4711)'))
  const claiming = claim(old)
  await somebodyWaits(pool)
  const beginning = begin(lane)
  await somebodyWaits(pool, 2)
  await gate.commit()
  assert.equal((await claiming).length, 1)
  const turn = await beginning
  assert.deepEqual(
    (await errandsOf(lane)).map((row) => [row.id, row.turn, row.attempt]),
    [[id, null, 0]],
  )

  const jobId = (await laneOf(lane)).job_id
  const next = await open((tx) => beginTurn(tx, ERRANDS, { ...lane, jobId }))
  const late = claim(turn)
  await somebodyWaits(pool)
  await next.commit()
  assert.deepEqual(await late, [])
  assert.equal((await claim(next.value!)).length, 1)
})

async function lostOf(ids: readonly string[]) {
  return rows('select * from lost where id = any ($1::bigint[])', [ids])
}
