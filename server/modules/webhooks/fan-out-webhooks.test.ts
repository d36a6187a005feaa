import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneBench } from '../../../test/support/lanes.ts'
import { callerOf, createWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { registerGroups, step } from '../../platform/outbox/consumer.ts'
import { parkedRows, replayParked } from '../../platform/outbox/parked.ts'
import { persistEvent } from '../events/persist-event.ts'
import { appendRecordedEventsStatement } from '../events/queries.ts'
import { readEvent } from '../events/recorded-event.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import { backlogLag, fanOutWebhooks as fanOut } from './fan-out-webhooks.ts'
import { createEndpoint } from './manage-endpoints.ts'
import { recoverWebhook } from './recover-webhook.ts'

/** Together more than a stretch makes at once. */
const ENDPOINTS = 60
const EVENTS = 1_000

const { pool, deps } = await laneBench()
await registerGroups(pool, [persistEvent, dispatchWebhooks])
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values, query_timeout: 30_000 })

const parked: string[] = []
const onParked = ({ position }: { position: string }) => parked.push(position)
const fanOutWebhooks = (db: typeof pool, workspaceId: string, shouldYield: () => boolean) =>
  fanOut({ pool: db, onParked }, workspaceId, { shouldYield, stopping: new AbortController().signal })

async function workspace(endpoints: number): Promise<string> {
  const workspaceId = await createWorkspace(pool)
  // One after the other: so many at once would wait for connections longer than a loaded machine lets them.
  for (let n = 0; n < endpoints; n++) {
    await createEndpoint(deps, callerOf(workspaceId), { url: 'https://receiver.example/' })
  }
  return workspaceId
}

async function record(workspaceId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => {
    const read = readEvent({ action: 'page.view', subjectId: `u${n}` })
    assert.ok('event' in read)
    return read.event
  })
  await pool.query(appendRecordedEventsStatement([{ workspaceId, events }]))
}

async function handle(group: typeof dispatchWebhooks): Promise<void> {
  const fail = ({ error }: { error?: unknown }) => {
    if (error) throw error
  }
  const progress = { rowsMax: 5_000, attempts: 0 }
  while ((await step({ pool, onHandled: fail, onParked: fail }, group, progress)).outcome !== 'idle');
}

function putAside(workspaceId: string, count: number) {
  return rows(
    `insert into webhook_backlog (workspace_id, position, tx, recorded_at)
     select workspace_id, position, tx, recorded_at from outbox where workspace_id = $1 order by position limit $2`,
    [workspaceId, count],
  )
}

async function counts(workspaceId: string) {
  const [row] = await rows<{ made: number; pairs: number; queued: number; aside: number }>(
    `select (select count(*)::int from deliveries where workspace_id = $1) as made,
      (select count(distinct (endpoint_id, event_id))::int from deliveries where workspace_id = $1) as pairs,
      (select count(*)::int from delivery_queue where workspace_id = $1) as queued,
      (select count(*)::int from webhook_backlog where workspace_id = $1) as aside`,
    [workspaceId],
  )
  return row!
}

test("a workspace's fan-out is made by a job of its own, and others' deliveries do not wait for it", async (t) => {
  const [heavy, light] = [await workspace(ENDPOINTS), await workspace(2)]
  await record(heavy, EVENTS)
  await record(light, 10)
  const beganMs = performance.now()
  await handle(dispatchWebhooks)
  t.diagnostic(`the stretch took ${Math.round(performance.now() - beganMs)} ms`)
  assert.deepEqual(await counts(light), { made: 20, pairs: 20, queued: 20, aside: 0 })
  assert.deepEqual(await counts(heavy), { made: 0, pairs: 0, queued: 0, aside: EVENTS })
  const { rows: jobs } = await pool.query(`select data ->> 'payload' as payload from jobs.job_common
    where data ->> 'kind' = 'fan_out_webhooks'`)
  assert.deepEqual(
    jobs.map(({ payload }) => JSON.parse(payload)),
    [{ workspaceId: heavy }],
  )

  // Each chunk commits alone; a job that is cut off in between goes on where it was.
  assert.equal(await fanOutWebhooks(pool, heavy, () => true), 'more')
  const part = await counts(heavy)
  assert.ok(part.made > 0 && part.aside < EVENTS)
  assert.equal(part.made, (EVENTS - part.aside) * ENDPOINTS)
  await Promise.all([0, 1].map(() => fanOutWebhooks(pool, heavy, () => false)))
  const all = EVENTS * ENDPOINTS
  assert.deepEqual(await counts(heavy), { made: all, pairs: all, queued: all, aside: 0 })
  const waiting = await rows(`select from webhook_lanes where workspace_id = $1 and state = 'waiting'`, [heavy])
  assert.equal(waiting.length, ENDPOINTS)
})

test('an event that was put aside is not recovered beside that, and one that is gone from the log is delivered to nobody', async () => {
  const workspaceId = await workspace(1)
  await record(workspaceId, 3)
  await handle(persistEvent)
  await handle(dispatchWebhooks)
  await rows('delete from delivery_queue where workspace_id = $1', [workspaceId])
  await rows('delete from deliveries where workspace_id = $1', [workspaceId])
  await putAside(workspaceId, 2)
  const [{ endpointId, until }] = (await rows(
    `select id as "endpointId", now() as until from webhook_endpoints where workspace_id = $1`,
    [workspaceId],
  )) as [{ endpointId: string; until: string }]
  await recoverWebhook(
    { pool, shouldYield: () => false },
    { workspaceId, endpointId, since: '2020-01-01T00:00:00Z', until },
  )
  assert.equal((await counts(workspaceId)).made, 1)
  await rows(
    `delete from outbox where workspace_id = $1 and position = (select min(position) from webhook_backlog where workspace_id = $1)`,
    [workspaceId],
  )
  assert.equal(await fanOutWebhooks(pool, workspaceId, () => false), 'done')
  assert.deepEqual(await counts(workspaceId), { made: 2, pairs: 2, queued: 2, aside: 0 })
})

test('an event put aside whose deliveries cannot be made is parked, and those behind it are delivered', async () => {
  const workspaceId = await workspace(2)
  await record(workspaceId, 20)
  await putAside(workspaceId, 20)
  const [poison] = (await rows(
    'select position from outbox where workspace_id = $1 order by position offset 7 limit 1',
    [workspaceId],
  )) as [{ position: string }]
  await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.event_id = ${poison.position} then raise 'it cannot be made'; end if; return new; end $$;
    create trigger refuse before insert on deliveries for each row execute function refuse()`)
  // Others wait all the time: each turn gets a chunk through, or parks one, before it lets them.
  for (let turn = 1; (await fanOutWebhooks(pool, workspaceId, () => true)) === 'more'; turn++) assert.ok(turn < 20)
  assert.deepEqual(parked.splice(0), [poison.position])
  assert.deepEqual(await counts(workspaceId), { made: 38, pairs: 38, queued: 38, aside: 0 })
  const [kept] = await parkedRows(pool, 10)
  assert.deepEqual(
    [kept!.consumerGroup, kept!.position, kept!.error],
    ['webhooks', poison.position, 'it cannot be made'],
  )

  await pool.query('drop trigger refuse on deliveries')
  assert.deepEqual(await replayParked(pool, [dispatchWebhooks], {}), [
    { group: 'webhooks', position: poison.position, outcome: 'done' },
  ])
  assert.deepEqual(await counts(workspaceId), { made: 40, pairs: 40, queued: 40, aside: 0 })
})

test('a turn whose time is up goes on with an event until that is parked: the next would count its tries anew', async () => {
  const workspaceId = await workspace(1)
  await record(workspaceId, 1)
  await putAside(workspaceId, 1)
  await pool.query(`create function refuse_all() returns trigger language plpgsql as $$ begin raise 'none can be made'; end $$;
    create trigger refuse_all before insert on deliveries for each row execute function refuse_all()`)
  assert.equal(await fanOutWebhooks(pool, workspaceId, () => true), 'more')
  assert.equal(parked.splice(0).length, 1)
  assert.equal((await counts(workspaceId)).aside, 0)
  await pool.query('drop trigger refuse_all on deliveries')
})

test('an outage of the database parks nothing', async () => {
  const workspaceId = await workspace(1)
  await record(workspaceId, 2)
  await putAside(workspaceId, 2)
  const away = { ...pool, connect: () => Promise.reject(new Error('Connection terminated unexpectedly')) }
  for (let n = 0; n < 10; n++) {
    await assert.rejects(fanOutWebhooks(away as unknown as typeof pool, workspaceId, () => false))
  }
  assert.equal((await counts(workspaceId)).aside, 2)
  assert.deepEqual(parked, [])
})

test('events put aside count as lag until their deliveries are made', async () => {
  const [one, other] = [await workspace(1), await workspace(1)]
  for (const workspaceId of [one, other]) {
    await record(workspaceId, 2)
    await putAside(workspaceId, 2)
  }
  await rows(`update webhook_backlog set recorded_at = now() - interval '90 s' where workspace_id = $1`, [other])
  assert.ok((await backlogLag(pool)) >= 90)
  await rows('delete from webhook_backlog')
  assert.equal(await backlogLag(pool), 0)
})
