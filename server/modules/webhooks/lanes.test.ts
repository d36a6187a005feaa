import assert from 'node:assert/strict'
import test from 'node:test'
import {
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
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { beginTurn, endTurn } from '../../platform/lanes/turns.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { queueAgain } from './delivery-queries.ts'
import { dropDeliveries } from './drop-deliveries.ts'
import { type DeliveryTurn, type Lane, WEBHOOK_LANES } from './lanes.ts'
import { deleteEndpoint, updateEndpoint } from './manage-endpoints.ts'
import { recordAttempts } from './record-attempts.ts'

const bench = await laneBench()
const { pool, deps, workspaceId } = bench

const inWorkspace = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const open = <T>(work: (tx: Transaction) => Promise<T>) => openTransaction(pool, work, workspaceId)
const ending = (turn: DeliveryTurn, yieldNow = false) => ({ turn, hasClaims: true, yieldNow })
const end = (turn: DeliveryTurn, yieldNow = false) =>
  inWorkspace((tx) => endTurn(tx, WEBHOOK_LANES, ending(turn, yieldNow)))
const switchTo = (lane: Lane, enabled: boolean) =>
  updateEndpoint(deps, callerOf(workspaceId), { id: lane.endpointId, change: { enabled } })

async function jobsOf(lane: Lane) {
  const { rows } = await pool.query<{ id: string; kind: string; priority: number; waitsMs: number }>(
    `select id, data ->> 'kind' as kind, priority, (extract(epoch from start_after - now()) * 1000)::float8 as "waitsMs" from jobs.job_common
     where data -> 'payload' ->> 'endpointId' = $1 order by created_on`,
    [lane.endpointId],
  )
  return rows
}

test('a delivery whose month is being taken out is put off, uncounted, and the others are claimed', async () => {
  const lane = await newLane(bench)
  const [hidden, other] = await makeDue(bench, lane, 2)
  const turn = await beginNamed(bench, lane)
  const move = (days: number) =>
    inWorkspace((tx) =>
      tx.query(
        `update delivery_queue set delivery_created_at = delivery_created_at + $2::int * interval '1 day', due_at = now()
         where delivery_id = $1`,
        [hidden, days],
      ),
    )
  await move(-40)
  assert.deepEqual(
    (await claimDeliveries(pool, turn, 10)).map(({ deliveryId }) => deliveryId),
    [other],
  )
  const [row] = await queueRows(bench, lane)
  assert.deepEqual(row, { id: hidden, attempt: 0, turn: null, isDue: false })
  assert.deepEqual(await claimDeliveries(pool, turn, 10), [])
  await move(40)
  assert.deepEqual(
    (await claimDeliveries(pool, turn, 10)).map(({ deliveryId, attempt }) => [deliveryId, attempt]),
    [[hidden, 1]],
  )
})

test('a lane that waits for a retry is called earlier by new work, and its first job finds itself superseded', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const [claimed] = await claimDeliveries(pool, turn, 10)
  const beganMs = performance.now()
  await recordAttempts(pool, [resultFor(claimed!, { nextInMs: 60_000 })])
  assert.equal(await end(turn), 'over')
  const waiting = await laneRow(bench, lane)
  assert.equal(waiting.state, 'waiting')
  const retry = (await jobsOf(lane)).find(({ id }) => id === waiting.jobId)!
  const leastMs = 60_000 - Math.ceil(performance.now() - beganMs) - 1
  assert.ok(retry.waitsMs >= leastMs && retry.waitsMs <= 60_000, `${retry.waitsMs} ms`)
  assert.equal(retry.priority, -1, 'an endpoint that only fails does not come after the others')

  await makeDue(bench, lane)
  const called = await laneRow(bench, lane)
  assert.notEqual(called.jobId, waiting.jobId)
  assert.equal(await inWorkspace((tx) => beginTurn(tx, WEBHOOK_LANES, { ...lane, jobId: waiting.jobId! })), undefined)
  const next = await beginNamed(bench, lane)
  assert.deepEqual((await claimDeliveries(pool, next, 10)).length, 1)
})

test('a delivery that is sent again while a turn is ending gets a turn', async () => {
  const lane = await newLane(bench)
  const ids = await makeDue(bench, lane)
  const turn = await beginNamed(bench, lane)
  const [claimed] = await claimDeliveries(pool, turn, 10)
  await recordAttempts(pool, [resultFor(claimed!, { nextInMs: 60_000 })])
  const last = await open((tx) => endTurn(tx, WEBHOOK_LANES, ending(turn)))
  const resending = inWorkspace(async (tx) => {
    await queueAgain(tx, workspaceId, ids)
    await wakeLanes(tx, WEBHOOK_LANES, [lane])
  })
  await somebodyWaits(pool)
  await last.commit()
  await resending
  assert.deepEqual(await forgottenDeliveries(bench), [])
  assert.equal((await claimDeliveries(pool, await beginNamed(bench, lane), 10)).length, 1)
})

test('a turn that begins while its endpoint is switched on does its work', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const { jobId } = await laneRow(bench, lane)
  await switchTo(lane, false)
  const switching = await open(async (tx) => {
    await tx.query('update webhook_endpoints set enabled = true where id = $1', [lane.endpointId])
    await wakeLanes(tx, WEBHOOK_LANES, [lane])
  })
  const beginning = inWorkspace((tx) => beginTurn(tx, WEBHOOK_LANES, { ...lane, jobId: jobId! }))
  await somebodyWaits(pool)
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

test('what is queued for an endpoint goes after it, in steps, and nothing is queued behind that', async () => {
  const [lane, other] = [await newLane(bench), await newLane(bench)]
  await makeDue(bench, lane, 7)
  await makeDue(bench, other)
  const turn = await beginNamed(bench, lane)
  await deleteEndpoint(deps, callerOf(workspaceId), { id: lane.endpointId })
  assert.deepEqual(await claimDeliveries(pool, turn, 10), [], 'it goes on')
  await assert.rejects(makeDue(bench, lane), { code: '23503' })
  const [job] = await jobsOf(lane).then((jobs) => jobs.filter(({ kind }) => kind === 'drop_deliveries'))
  assert.ok(job, 'nobody takes them out of the queue')
  assert.equal(await dropDeliveries(pool, lane, () => true), 'more')
  assert.equal(await dropDeliveries(pool, lane, () => false), 'done')
  assert.deepEqual(await queueRows(bench, lane), [])
  assert.equal((await queueRows(bench, other)).length, 1)
})

test('an endpoint can be deleted while results of it are being recorded', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const recording = await open((tx) =>
    tx.query('select from delivery_queue where endpoint_id = $1 for update', [lane.endpointId]).then(() => tx),
  )
  const deleting = deleteEndpoint(deps, callerOf(workspaceId), { id: lane.endpointId })
  await recording.value.query('update webhook_lanes set failing_since = now() where endpoint_id = $1', [
    lane.endpointId,
  ])
  await recording.commit()
  await deleting
  assert.equal(await laneRow(bench, lane), undefined)
})
