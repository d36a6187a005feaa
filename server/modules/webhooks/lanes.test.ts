import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import {
  addDeliveries,
  attemptRows,
  beginNamed,
  forgottenDeliveries,
  laneBench,
  laneRow,
  makeDue,
  newLane,
  queueRows,
  resultFor,
} from '../../../test/support/lanes.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { queueAgain } from './delivery-queries.ts'
import { beginTurn, endTurn, type Lane, type Turn, wakeLanes } from './lanes.ts'
import { deleteEndpoint, updateEndpoint } from './manage-endpoints.ts'
import { recordAttempts } from './record-attempts.ts'

const bench = await laneBench()
const { pool, deps, workspaceId } = bench

const inWorkspace = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const wake = (lane: Lane) => inWorkspace((tx) => wakeLanes(tx, deps, [lane]))
const end = (turn: Turn, yieldNow = false) => inWorkspace((tx) => endTurn(tx, deps, { ...turn, yieldNow }))
const switchTo = (lane: Lane, enabled: boolean) =>
  updateEndpoint(deps, callerOf(workspaceId), { id: lane.endpointId, change: { enabled } })

/** A transaction that a test leaves open: its work is done when this resolves, its commit comes with `commit`. */
async function open<T>(work: (tx: Transaction) => Promise<T>) {
  const worked = Promise.withResolvers<T>()
  const released = Promise.withResolvers<void>()
  const committed = inWorkspace(async (tx) => {
    worked.resolve(await work(tx))
    await released.promise
  })
  committed.catch(worked.reject)
  const value = await worked.promise
  return {
    value,
    commit() {
      released.resolve()
      return committed
    },
  }
}

/** Waits until a statement of this database waits for a lock. */
function somebodyWaits(): Promise<void> {
  return eventually('a statement waits for a lock', async () => {
    const { rows } = await pool.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return rows.length > 0
  })
}

async function jobsOf(lane: Lane) {
  const { rows } = await pool.query<{ id: string; priority: number; waitsMs: number }>(
    `select id, priority, (extract(epoch from start_after - now()) * 1000)::float8 as "waitsMs" from jobs.job_common
     where data -> 'payload' ->> 'endpointId' = $1 order by created_on`,
    [lane.endpointId],
  )
  return rows
}

test('a lane with work due has exactly one job, however often it is woken', async () => {
  const lane = await newLane(bench)
  assert.equal((await laneRow(bench, lane)).state, 'idle')
  await makeDue(bench, lane, 3)
  await Promise.all([wake(lane), wake(lane), makeDue(bench, lane)])
  const { state, jobId } = await laneRow(bench, lane)
  assert.equal(state, 'waiting')
  assert.deepEqual(
    (await jobsOf(lane)).map(({ id }) => id),
    [jobId],
  )
  await beginNamed(bench, lane)
  await makeDue(bench, lane)
  assert.equal((await jobsOf(lane)).length, 1)
})

test('a lane that waits for a retry is called earlier by new work, and its first job finds itself superseded', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const [claimed] = await claimDeliveries(pool, turn, 10)
  await recordAttempts(pool, [resultFor(claimed!, { nextInMs: 60_000 })])
  assert.equal(await end(turn), 'over')
  const waiting = await laneRow(bench, lane)
  assert.equal(waiting.state, 'waiting')
  const retry = (await jobsOf(lane)).find(({ id }) => id === waiting.jobId)!
  assert.ok(retry.waitsMs > 55_000 && retry.waitsMs <= 60_000)
  assert.equal(retry.priority, -1, 'an endpoint that only fails does not come after the others')

  await makeDue(bench, lane)
  const called = await laneRow(bench, lane)
  assert.notEqual(called.jobId, waiting.jobId)
  assert.equal(await inWorkspace((tx) => beginTurn(tx, { ...lane, jobId: waiting.jobId! })), undefined)
  const next = await beginNamed(bench, lane)
  assert.deepEqual((await claimDeliveries(pool, next, 10)).length, 1)
})

test('work that is committed while a turn is ending gets a turn', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const claimed = await claimDeliveries(pool, turn, 10)
  await recordAttempts(
    pool,
    claimed.map((each) => resultFor(each)),
  )
  const ending = await open((tx) => endTurn(tx, deps, { ...turn, yieldNow: false }))
  assert.equal(ending.value, 'over')
  const adding = makeDue(bench, lane)
  await somebodyWaits()
  await ending.commit()
  await adding
  assert.equal((await laneRow(bench, lane)).state, 'waiting')
  assert.deepEqual(await forgottenDeliveries(bench), [])
})

test('a delivery that is sent again while a turn is ending gets a turn', async () => {
  const lane = await newLane(bench)
  const ids = await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const [claimed] = await claimDeliveries(pool, turn, 10)
  await recordAttempts(pool, [resultFor(claimed!, { nextInMs: 60_000 })])
  const ending = await open((tx) => endTurn(tx, deps, { ...turn, yieldNow: false }))
  const resending = inWorkspace(async (tx) => {
    await queueAgain(tx, workspaceId, ids)
    await wakeLanes(tx, deps, [lane])
  })
  await somebodyWaits()
  await ending.commit()
  await resending
  assert.deepEqual(await forgottenDeliveries(bench), [])
  assert.equal((await claimDeliveries(pool, await beginNamed(bench, lane), 10)).length, 1)
})

test('work that is committed before a turn looks a last time keeps the turn going', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const claimed = await claimDeliveries(pool, turn, 10)
  await recordAttempts(
    pool,
    claimed.map((each) => resultFor(each)),
  )
  const adding = await open((tx) => addDeliveries(bench, tx, lane))
  const ending = end(turn)
  await somebodyWaits()
  await adding.commit()
  assert.equal(await ending, 'more')
})

test('a turn that begins while its endpoint is switched on does its work', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const { jobId } = await laneRow(bench, lane)
  await switchTo(lane, false)
  const switching = await open(async (tx) => {
    await tx.query('update webhook_endpoints set enabled = true where id = $1', [lane.endpointId])
    await wakeLanes(tx, deps, [lane])
  })
  const beginning = inWorkspace((tx) => beginTurn(tx, { ...lane, jobId: jobId! }))
  await somebodyWaits()
  await switching.commit()
  assert.equal((await claimDeliveries(pool, (await beginning)!, 10)).length, 1)
})

test('a paused endpoint is not claimed from and its turn ends idle; switched on, it is woken', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane, 2)
  await switchTo(lane, false)
  const turn = await beginNamed(bench, lane)
  assert.deepEqual(await claimDeliveries(pool, turn, 10), [])
  assert.equal(await end(turn), 'over')
  assert.equal((await laneRow(bench, lane)).state, 'idle')
  await makeDue(bench, lane)
  assert.equal((await laneRow(bench, lane)).state, 'idle')
  await switchTo(lane, true)
  const again = await beginNamed(bench, lane)
  assert.equal((await claimDeliveries(pool, again, 10)).length, 3)
})

test('a turn that yields goes behind the lanes that wait, and not before it has given back what it did not send', async () => {
  const [busy, patient] = [await newLane(bench), await newLane(bench)]
  await makeDue(bench, busy, 3)
  const turn = await beginNamed(bench, busy)
  const claimed = await claimDeliveries(pool, turn, 10)
  await recordAttempts(pool, [resultFor(claimed[0]!)])
  await makeDue(bench, patient)
  assert.equal(await end(turn, true), 'over')
  assert.deepEqual(await jobOrder([busy, patient]), [patient.endpointId, busy.endpointId])
  assert.deepEqual(
    (await queueRows(bench, busy)).map(({ attempt, turn: by, isDue }) => [attempt, by, isDue]),
    [
      [0, null, true],
      [0, null, true],
    ],
  )
})

/** Endpoints in the order in which the queue gives out the jobs their lanes name. */
async function jobOrder(lanes: readonly Lane[]): Promise<string[]> {
  const named = await Promise.all(lanes.map(async (lane) => (await laneRow(bench, lane)).jobId))
  const { rows } = await pool.query<{ endpointId: string }>(
    `select data -> 'payload' ->> 'endpointId' as "endpointId" from jobs.job_common
     where id = any ($1::uuid[]) order by priority desc, created_on`,
    [named],
  )
  return rows.map((row) => row.endpointId)
}

test('a turn that was taken over changes nothing any more: not by claims, not by results, not by its end', async () => {
  const lane = await newLane(bench)
  const [id] = await makeDue(bench, lane)
  const zombie = await beginNamed(bench, lane)
  const stale = await claimDeliveries(pool, zombie, 10)
  const heir = await beginNamed(bench, lane)
  assert.notEqual(heir.turn, zombie.turn)
  assert.deepEqual(await attemptRows(bench, lane), [{ id, attempt: 1, outcome: 'lost' }])
  const before = [await laneRow(bench, lane), await queueRows(bench, lane), await attemptRows(bench, lane)]

  assert.equal(await recordAttempts(pool, [resultFor(stale[0]!, { nextInMs: undefined })]), 0)
  assert.equal(await recordAttempts(pool, [resultFor(stale[0]!)]), 0)
  assert.equal(await recordAttempts(pool, [{ ...resultFor(stale[0]!, { nextInMs: 5_000 }), status: 410 }]), 0)
  assert.deepEqual(await claimDeliveries(pool, zombie, 10), [])
  assert.equal(await end(zombie), 'taken_over', 'the job must outlive the turn that took it over')
  assert.equal(await end(zombie, true), 'taken_over')
  assert.deepEqual([await laneRow(bench, lane), await queueRows(bench, lane), await attemptRows(bench, lane)], before)

  const [claimed] = await claimDeliveries(pool, heir, 10)
  assert.equal(claimed!.attempt, 1, 'the lost attempt used up one of ten')
  assert.equal(await recordAttempts(pool, [resultFor(stale[0]!)]), 0)
  assert.equal(await recordAttempts(pool, [resultFor(claimed!)]), 1)
  assert.equal(await recordAttempts(pool, [resultFor(claimed!)]), 0, 'a result counted twice')
  assert.equal(await end(heir), 'over')
  assert.equal(await end(zombie), 'over')
  assert.deepEqual(
    (await attemptRows(bench, lane)).map(({ outcome }) => outcome),
    ['lost', 'delivered'],
  )
})

test('a claim and the beginning of the next turn wait for each other: nothing stays claimed by a turn that is over', async (t) => {
  // The gate holds a claim in the middle, as a slow disk would, after its process has given up on it.
  const gate = new pg.Client({ ...pool.options, pipeline: false })
  await gate.connect()
  await pool.query(`create function wait_at_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return new; end $$`)
  await pool.query(`create trigger gate before update on delivery_queue
    for each row when (new.turn is not null) execute function wait_at_gate()`)
  t.after(async () => {
    await gate.end()
    await pool.query('drop function wait_at_gate cascade')
  })

  const lane = await newLane(bench)
  const [id] = await makeDue(bench, lane)
  const old = await beginNamed(bench, lane)
  const { jobId } = await laneRow(bench, lane)
  await gate.query('select pg_advisory_lock(4711)')
  const claiming = claimDeliveries(pool, old, 10)
  await somebodyWaits()
  const beginning = inWorkspace((tx) => beginTurn(tx, { ...lane, jobId: jobId! }))
  await eventually('the beginning waits for the claim', async () => {
    const { rows } = await pool.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return rows.length === 2
  })
  await gate.query('select pg_advisory_unlock(4711)')
  assert.equal((await claiming).length, 1)
  const turn = (await beginning)!
  assert.deepEqual(await queueRows(bench, lane), [{ id, attempt: 0, turn: null, isDue: true }])
  assert.deepEqual(await forgottenDeliveries(bench), [])

  const next = await open((tx) => beginTurn(tx, { ...lane, jobId: jobId! }))
  const late = claimDeliveries(pool, turn, 10)
  await somebodyWaits()
  await next.commit()
  assert.deepEqual(await late, [])
  assert.equal((await claimDeliveries(pool, next.value!, 10)).length, 1)
})

test('attempts lost with their process do not count: ten are left after twelve of them', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  for (let lost = 0; lost < 12; lost++) await claimDeliveries(pool, await beginNamed(bench, lane), 1)
  const attempts: number[] = []
  for (let n = 1; n <= 10; n++) {
    const turn = await beginNamed(bench, lane)
    const [claimed] = await claimDeliveries(pool, turn, 1)
    attempts.push(claimed!.attempt)
    await recordAttempts(pool, [resultFor(claimed!, { nextInMs: n < 10 ? 0 : undefined })])
    await end(turn, true)
  }
  assert.deepEqual(attempts, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  assert.deepEqual(await queueRows(bench, lane), [])
  const outcomes = (await attemptRows(bench, lane)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, [...Array(12).fill('lost'), ...Array(10).fill('failed')])
})

test('sending again leaves alone what is under way, and gives the rest all its attempts', async () => {
  const lane = await newLane(bench)
  const ids = await makeDue(bench, lane, 2)
  const turn = await beginNamed(bench, lane)
  const [first] = await claimDeliveries(pool, turn, 1)
  assert.equal(await inWorkspace((tx) => queueAgain(tx, workspaceId, ids)), 1)
  assert.deepEqual(
    (await queueRows(bench, lane)).map(({ attempt, turn: by }) => [attempt, by]),
    [
      [1, turn.turn],
      [0, null],
    ],
  )
  assert.equal(await recordAttempts(pool, [resultFor(first!, { nextInMs: 60_000 })]), 1)
  assert.equal(await inWorkspace((tx) => queueAgain(tx, workspaceId, ids)), 2)
  assert.deepEqual(
    (await queueRows(bench, lane)).map(({ attempt, isDue }) => [attempt, isDue]),
    [
      [0, true],
      [0, true],
    ],
  )
})

test('an endpoint can be deleted while results of it are being recorded', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const recording = await open((tx) =>
    tx.query('select from delivery_queue where endpoint_id = $1 for update', [lane.endpointId]).then(() => tx),
  )
  const deleting = deleteEndpoint(deps, callerOf(workspaceId), { id: lane.endpointId })
  await somebodyWaits()
  await recording.value.query('update webhook_lanes set failing_since = now() where endpoint_id = $1', [
    lane.endpointId,
  ])
  await recording.commit()
  await deleting
  assert.equal(await laneRow(bench, lane), undefined)
  assert.deepEqual(await queueRows(bench, lane), [])
})
