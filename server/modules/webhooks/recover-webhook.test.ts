import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import { type LaneBench, laneBench, newLane } from '../../../test/support/lanes.ts'
import { createWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { registerGroups, step } from '../../platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { cursorOf } from '../../platform/outbox/progress.ts'
import { numberBefore } from '../events/halve-by-time.ts'
import { persistEvent } from '../events/persist-event.ts'
import { appendRecordedEventsStatement } from '../events/queries.ts'
import { type RecordedEvent, readEvent } from '../events/recorded-event.ts'
import { BODY } from './delivery-body.ts'
import { type RecoverChunk, recoverChunk } from './delivery-queries.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import type { Lane } from './lanes.ts'
import { type Recovery, recoverWebhook } from './recover-webhook.ts'

const LONG_AGO = '2020-01-01T00:00:00Z'
/** More than one chunk. */
const MANY = 2_300
const LOOKED = 4_000
/** Far from the ends of a month: a walk reads the partitions its time reaches into, and hours beside it must not be in another one. */
const MIDDLE = middleOfMonth(new Date())

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

test('a chunk is of events that are looked at, however few of them are wanted, and a long recovery goes on in jobs of its own', async () => {
  const lane = await rareEvents()
  const until = hoursFromMiddle(0)
  const plan = await inTransaction(pool, lane.workspaceId, async (tx) => {
    let explained: Plan | undefined
    const query = async ({ text, values }: pg.QueryConfig) => {
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>({
        text: `explain (analyze, format json) ${text}`,
        values,
      })
      explained = JSON.parse(rows[0]!['QUERY PLAN'])[0].Plan as Plan
      return { rows: [{ last: null, made: '0', discarded: [] }] }
    }
    await recoverChunk({ query: query as never }, await chunkOf(tx, { ...lane, since: LONG_AGO, until }), BODY)
    await tx.query('rollback')
    return explained!
  })
  assert.ok(readBy(plan) <= 200, `${readBy(plan)} rows are read for 100 events`)

  let runs = 0
  for (let recovery: Recovery | undefined = { ...lane, since: LONG_AGO, until }; recovery !== undefined; runs++) {
    assert.equal(await recoverWebhook({ pool, shouldYield: () => true }, recovery), 'done')
    const { rows } = await pool.query<{ recovery: string }>(
      `delete from jobs.job_common where data ->> 'kind' = 'recover_webhook' returning data ->> 'payload' as recovery`,
    )
    recovery = rows[0] && (JSON.parse(rows[0].recovery) as Recovery)
  }
  assert.ok(runs > LOOKED / 1_000, `${runs} runs`)
  const made = await queryInScope(pool, lane.workspaceId, {
    text: `select from deliveries where endpoint_id = $1 and event_type = 'order.paid'`,
    values: [lane.endpointId],
  })
  assert.equal(made.length, 2)
})

test('a chunk passes over a bounded part of the events of other times, and the walk ends behind its own', async () => {
  const lane = await rareEvents()
  const nth = async (n: number) => {
    const text = 'select id from events where workspace_id = $1 order by id offset $2 limit 1'
    return (await queryInScope<{ id: string }>(pool, lane.workspaceId, { text, values: [lane.workspaceId, n - 1] }))[0]!
      .id
  }
  const lastOf = (since: number, until: number) =>
    inTransaction(pool, lane.workspaceId, async (tx) => {
      const chunk = await chunkOf(tx, { ...lane, since: hoursFromMiddle(since), until: hoursFromMiddle(until) })
      return (await recoverChunk(tx, chunk, BODY)).last
    })
  assert.equal(await lastOf(1, 2), await nth(2_100), 'of events of before')
  assert.equal(await lastOf(-3, -0.5), await nth(100), 'of events of after, as far as they may be among its own')
  assert.equal(await lastOf(-3, -2), null)
})

test('a recovery begins where its time does', async () => {
  const { workspaceId: other } = await rareEvents()
  const rows = (text: string) => queryInScope<{ id: string }>(pool, other, { text, values: [other] })
  await rows(`update events set recorded_at = '${hoursFromMiddle(-2)}'
    where workspace_id = $1 and id < (select max(id) - 9 from events where workspace_id = $1)`)
  const firstOf = async (hours: number) => {
    const text = `select min(id) - 1 as id from events where workspace_id = $1 and recorded_at > '${hoursFromMiddle(-hours)}'`
    return (await rows(text))[0]!.id
  }
  const before = (since: string, marginMs: number) =>
    inTransaction(pool, other, (tx) => numberBefore(tx, other, { since, marginMs }))
  const since = hoursFromMiddle(-0.5)
  assert.equal(await before(since, 60_000), await firstOf(1))
  assert.equal(await before(since, 7_200_000), await firstOf(3))
  assert.equal(await before(LONG_AGO, 0), await firstOf(3))
})

async function chunkOf(tx: Transaction, recovery: Recovery): Promise<RecoverChunk> {
  const dispatched = await cursorOf(tx, 'webhooks')
  return { ...recovery, dispatched, afterEventId: '0', limit: 100, marginMs: HOUR_MS }
}

async function now(): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select now()')
  return rows[0]!.now
}

async function recover(lane: Lane, until?: string) {
  return recoverWebhook({ pool, shouldYield: () => false }, { ...lane, since: LONG_AGO, until: until ?? (await now()) })
}

function middleOfMonth(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 15)
}

function hoursFromMiddle(hours: number): string {
  return new Date(MIDDLE + hours * HOUR_MS).toISOString()
}

/** An endpoint of a workspace in which, in the middle of the month, everybody looks at pages and somebody has paid, half way and at the end. */
async function rareEvents(): Promise<Lane> {
  const other = await createWorkspace(pool)
  const lane = await newLane({ ...bench, workspaceId: other })
  const rows = (text: string) => queryInScope(pool, other, { text, values: [other] })
  await rows(`update webhook_endpoints set event_types = '{order.paid}' where workspace_id = $1`)
  await rows(`insert into events (workspace_id, id, recorded_at, type, name, subject, data, occurred_at)
    select $1, nextval('outbox_position'), '${hoursFromMiddle(0)}', 'event.recorded',
      case when n in (${LOOKED / 2}, ${LOOKED}) then 'order.paid' else 'page.view' end, '', '{}', now()
    from generate_series(1, ${LOOKED}) n`)
  return lane
}

type Plan = { 'Actual Rows': number; 'Rows Removed by Filter'?: number; 'Node Type': string; Plans?: Plan[] }
const readBy = (plan: Plan): number =>
  Math.max(plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0), ...(plan.Plans ?? []).map(readBy))

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
