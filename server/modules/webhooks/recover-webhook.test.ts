import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import { type LaneBench, laneBench, newLane } from '../../../test/support/lanes.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { registerGroups, step } from '../../platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { persistEvent } from '../events/persist-event.ts'
import { appendRecordedEventsStatement } from '../events/queries.ts'
import { type RecordedEvent, readEvent } from '../events/recorded-event.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import type { Lane } from './lanes.ts'
import { recoverWebhook } from './recover-webhook.ts'

const LONG_AGO = '2020-01-01T00:00:00Z'
/** More than one chunk. */
const MANY = 2_300

const bench = await laneBench()
const { pool, workspaceId } = bench
await registerGroups(pool, [persistEvent, dispatchWebhooks])

test('a recovery waits until what was recorded before it is stored and dispatched', async () => {
  const lane = await newLane(bench)
  await record(pool, 3)
  assert.equal(await recover(lane), 'too_early')
  await handle(persistEvent)
  assert.equal(await recover(lane), 'too_early')
  assert.equal((await deliveriesOf(bench, lane)).length, 0)
  await handle(dispatchWebhooks)
  assert.equal(await recover(lane), 'done')
  assert.equal((await deliveriesOf(bench, lane)).length, 3)
})

test('an event that dispatching has not come to is left to it, whenever it was recorded', async (t) => {
  const lane = await newLane(bench)
  assert.equal(await recover(lane), 'done')
  const missed = await deliveriesOf(bench, lane)
  const early = await pool.connect()
  t.after(() => early.release(true))
  await early.query(`begin; set local postroom.workspace = '*'`)
  // A transaction's events carry the time of its beginning.
  await early.query('select now()')
  const until = await now()
  await record(pool, 2)
  await record(early, 1)
  await early.query('commit')
  await handle(persistEvent)
  assert.equal(await recover(lane, until), 'done')
  assert.deepEqual(await deliveriesOf(bench, lane), missed)
  await handle(dispatchWebhooks)
  const events = await deliveriesOf(bench, lane)
  assert.equal(events.length, missed.length + 3)
  assert.equal(await recover(lane), 'done')
  assert.deepEqual(await deliveriesOf(bench, lane), events)
})

test('recoveries of one endpoint at the same time make each delivery once', async () => {
  await record(pool, MANY)
  await handle(persistEvent)
  await handle(dispatchWebhooks)
  const lane = await newLane(bench)
  const until = await now()
  await Promise.all(Array.from({ length: 3 }, () => recover(lane, until)))
  const events = await deliveriesOf(bench, lane)
  assert.equal(new Set(events).size, events.length, 'an event has two deliveries')
  const [stored] = await queryInScope<{ count: string }>(pool, workspaceId, { text: 'select count(*) from events' })
  assert.equal(events.length, Number(stored!.count))
})

async function now(): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select now()')
  return rows[0]!.now
}

async function recover(lane: Lane, until?: string) {
  return recoverWebhook({ pool }, { ...lane, since: LONG_AGO, until: until ?? (await now()) })
}

/** Appends events in a transaction of its own, or in the one that is open on a client. */
async function record(db: pg.Pool | pg.PoolClient, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => recorded(`u${n}`))
  await db.query(appendRecordedEventsStatement([{ workspaceId, events }]))
}

function recorded(subjectId: string): RecordedEvent {
  const read = readEvent({ action: 'page.view', subjectId })
  assert.ok('event' in read)
  return read.event
}

/** Lets a group handle all there is; other tests' open transactions may hold it back for a moment. */
async function handle(group: ConsumerGroup): Promise<void> {
  const fail = ({ error }: { error?: unknown }) => {
    if (error) throw error
  }
  const stepDeps = { pool, onHandled: fail, onParked: fail }
  while ((await step(stepDeps, group, { rowsMax: 1_000, attempts: 0 })).outcome !== 'idle');
}

/** The events of an endpoint's deliveries, a double twice. */
async function deliveriesOf({ pool }: LaneBench, lane: Lane): Promise<string[]> {
  const rows = await queryInScope<{ eventId: string }>(pool, workspaceId, {
    text: 'select event_id as "eventId" from deliveries where endpoint_id = $1 order by event_id',
    values: [lane.endpointId],
  })
  return rows.map(({ eventId }) => eventId)
}
