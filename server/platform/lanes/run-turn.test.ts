import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually, workersOf } from '../jobs/testing.ts'
import { runTurn, turnHandler, UNWRITTEN_REST_MS } from './run-turn.ts'
import { enterRunning } from './running-turns.ts'
import { claimErrands, ERRANDS, errandBench, errandTurns, type Lane, RUN_ERRANDS } from './testing.ts'

const DRAIN_MS_MAX = 30_000
const never = new AbortController().signal
const { pool, inTx, rows, newLane, laneOf, errandsOf, add, makeDue } = await errandBench()

/** Runs the turn of the job that the lane names now, as a worker would. */
async function runOnce(lane: Lane, turns: ReturnType<typeof errandTurns>, stopping = never) {
  return runTurn(turns, { ...lane, jobId: (await laneOf(lane)).job_id }, stopping)
}

function workOn(t: TestContext, turns: ReturnType<typeof errandTurns>, queue = {}) {
  return workersOf(t, {
    pool,
    queue,
    kinds: [turnHandler(turns, RUN_ERRANDS, { timeoutMs: 60_000 })],
  })
}

async function doneTimes(ids: readonly string[]): Promise<number[]> {
  const counted = await rows(
    `select (select count(*)::int from done where done.id = given.id) as times
     from unnest($1::bigint[]) with ordinality as given (id, n) order by n`,
    [ids],
  )
  return counted.map(({ times }) => times)
}

const once = (ids: readonly string[]) => ids.map(() => 1)

test('a turn does what is due, and what becomes due while it runs, each once; then the lane is idle', async () => {
  const lane = await newLane()
  const ids = await makeDue(lane, 40)
  let more: Promise<string[]> | undefined
  const turns = errandTurns(pool, {
    async run() {
      more ??= makeDue(lane, 40)
      await more
    },
  })
  assert.equal(await runOnce(lane, turns), 'over')
  ids.push(...(await more!))
  assert.deepEqual(await doneTimes(ids), once(ids))
  assert.deepEqual(await errandsOf(lane), [])
  assert.equal((await laneOf(lane)).state, 'idle')
})

test('turns of this process are told of work for their lane after its commit, and of no other', async () => {
  const [lane, other] = [await newLane(), await newLane()]
  let told = 0
  const leave = enterRunning(ERRANDS, lane, () => told++)
  await makeDue(other)
  await assert.rejects(
    inTx(async (tx) => {
      await add(tx, lane)
      throw new Error('rolled back')
    }),
  )
  await inTx(async (tx) => {
    await add(tx, lane)
    assert.equal(told, 0)
  })
  await eventually('it is told', () => told === 1)
  leave()
  await makeDue(lane)
  assert.equal(told, 1)
})

test('no more are under way or unrecorded at once than the work has places for', async () => {
  const lane = await newLane()
  await makeDue(lane, 60)
  let [underWay, most] = [0, 0]
  const turns = errandTurns(pool, {
    atOnce: 5,
    async run() {
      most = Math.max(most, ++underWay)
      await delay(1)
      underWay--
    },
  })
  await runOnce(lane, turns)
  assert.equal(most, 5)
})

test('a process that stops in mid-turn ends what it has begun, gives the rest back, and the next one does it', async () => {
  const lane = await newLane()
  const ids = await makeDue(lane, 50)
  const stopping = new AbortController()
  const turns = errandTurns(pool, {
    atOnce: 10,
    async run() {
      stopping.abort()
      await delay(20)
    },
  })
  assert.equal(await runOnce(lane, turns, stopping.signal), 'over')
  const left = await errandsOf(lane)
  assert.ok(left.length >= 40 && left.length < 50, `${left.length} are left`)
  assert.ok(left.every(({ turn, attempt }) => turn === null && attempt === 0))
  assert.equal((await laneOf(lane)).state, 'waiting')
  await runOnce(lane, errandTurns(pool))
  assert.deepEqual(await doneTimes(ids), once(ids))
})

test('a turn that has had its time goes to the back, and another lane is served in between', async (t) => {
  const [busy, patient] = [await newLane(), await newLane()]
  const order: string[] = []
  const many = await makeDue(busy, 40)
  const few = await makeDue(patient, 2)
  const turns = errandTurns(pool, {
    turnMsMax: 50,
    async run({ lane: { customerId } }) {
      order.push(customerId)
      await delay(10)
    },
  })
  workOn(t, turns, { concurrency: 1 })
  await eventually('all is done', async () => (await errandsOf(busy)).length === 0, DRAIN_MS_MAX)
  assert.ok(order.lastIndexOf(patient.customerId) < order.length / 2, order.join(' '))
  assert.deepEqual(await doneTimes([...many, ...few]), once([...many, ...few]))
})

test('a workspace with many busy lanes leaves others their share of places', async (t) => {
  const busy = await Promise.all(Array.from({ length: 20 }, () => newLane('71')))
  for (const lane of busy) await makeDue(lane, 30)
  let [underWay, most] = [0, 0]
  const turns = errandTurns(pool, {
    turnMsMax: 100,
    async run({ lane }) {
      if (lane.workspaceId !== '71') return
      most = Math.max(most, ++underWay)
      await delay(25)
      underWay--
    },
  })
  workOn(t, turns, { concurrency: 6, groupShare: 0.5 })
  await eventually('its share is taken', () => most >= 6)
  const lane = await newLane('72')
  const ids = await makeDue(lane, 4)
  await eventually('the other workspace is served', async () => (await errandsOf(lane)).length === 0, DRAIN_MS_MAX)
  assert.deepEqual(await doneTimes(ids), once(ids))
  const left = await rows(`select count(*)::int as n from errands where workspace_id = 71`)
  assert.ok(left[0]!.n > 0, 'the busy one was through before')
  assert.equal(most, 6, 'three turns of two places each')
})

test('work that rejects fails the turn after what was begun is recorded; the next one takes back what it had', async () => {
  const lane = await newLane()
  const ids = await makeDue(lane, 6)
  const away = new Error('the database is away')
  let begun = 0
  const failing = errandTurns(pool, {
    atOnce: 3,
    async run() {
      if (++begun === 2) throw away
      await delay(10)
    },
  })
  await assert.rejects(runOnce(lane, failing), away)
  assert.ok(begun < 6)
  assert.equal((await errandsOf(lane)).filter(({ turn }) => turn !== null).length > 0, true)
  await runOnce(lane, errandTurns(pool))
  assert.deepEqual(await doneTimes(ids), once(ids))
})

test('a result that cannot be written goes back with the end of the turn', async () => {
  const lane = await newLane()
  await makeDue(lane, 3)
  const refusing = errandTurns(pool, { turnMsMax: 20, record: async () => false })
  assert.equal(await runOnce(lane, refusing), 'over')
  const left = await errandsOf(lane)
  assert.equal(left.length, 3)
  assert.ok(left.every(({ turn, attempt }) => turn === null && attempt === 0))
  await runOnce(lane, errandTurns(pool))
  assert.deepEqual(await errandsOf(lane), [])
})

test('a pause ends the turn: what is claimed goes back, or is done first', async () => {
  for (const keepsClaims of [false, true]) {
    const lane = await newLane()
    const ids = await makeDue(lane, 20)
    let isPaused = false
    const pausing = errandTurns(pool, {
      atOnce: 2,
      async claim() {
        const turn = { ...lane, turn: (await laneOf(lane)).turn, jobId: '' }
        return { claims: await claimErrands(pool, turn, 8), mayHaveMore: true }
      },
      run: async () => {
        isPaused = true
      },
      pause: () => (isPaused ? { afterMs: 60_000, keepsClaims } : undefined),
    })
    await runOnce(lane, pausing)
    const done = (await doneTimes(ids)).filter((times) => times > 0).length
    assert.equal(done, keepsClaims ? 8 : 2)
    const { state, wake_at: wakeAt } = await laneOf(lane)
    assert.deepEqual([state, Date.parse(wakeAt) > Date.now() + 50_000], ['waiting', true])
    assert.ok((await errandsOf(lane)).every(({ turn }) => turn === null))
  }
})

test('the end is told in the transaction that finds nothing queued any more, by the last lane only', async () => {
  const lane = await newLane()
  await makeDue(lane, 5)
  const told: number[] = []
  const turns = errandTurns(pool, {
    beforeEnd: async () => void told.push(0),
    drained: async (tx) => {
      const { rows: left } = await tx.query('select from errands where customer_id = $1', [lane.customerId])
      told.push(left.length + 1)
    },
  })
  await runOnce(lane, turns)
  assert.deepEqual(told, [0, 1])
})

test('a job whose lane has another one, or is gone, is over', async () => {
  const lane = await newLane()
  await makeDue(lane)
  const turns = errandTurns(pool)
  assert.equal(await runTurn(turns, { ...lane, jobId: '00000000-0000-0000-0000-000000000000' }, never), 'over')
  const jobId = (await laneOf(lane)).job_id
  await rows('delete from errand_lanes where customer_id = $1', [lane.customerId])
  assert.equal(await runTurn(turns, { ...lane, jobId }, never), 'over')
  assert.equal((await errandsOf(lane)).length, 1)
})

test('a lane whose result cannot be written rests, and loses nothing', async () => {
  const lane = await newLane()
  const ids = await makeDue(lane, 10)
  let tried = 0
  const turns = errandTurns(pool, {
    async run() {
      tried++
    },
    record: async () => false,
  })
  assert.equal(await runOnce(lane, turns), 'over')
  assert.ok(tried < ids.length, `${tried} were done in vain`)
  const [{ state, rest_ms: restMs }] = (await rows(
    `select state, extract(epoch from wake_at - now()) * 1000 as rest_ms from errand_lanes
     where customer_id = $1 and slot = $2`,
    [lane.customerId, lane.slot],
  )) as [{ state: string; rest_ms: number }]
  assert.equal(state, 'waiting')
  assert.ok(restMs > UNWRITTEN_REST_MS / 2, `it rests for ${restMs} ms`)
  assert.ok((await errandsOf(lane)).every(({ turn, attempt }) => turn === null && attempt === 0))
  assert.equal((await errandsOf(lane)).length, ids.length)
})
