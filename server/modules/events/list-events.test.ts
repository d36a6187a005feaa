import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, startAtEnd, watched } from '../../../test/support/outbox-rows.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { forgetActions } from './forget-actions.ts'
import { listActions } from './list-actions.ts'
import { type EventSearch, listEvents } from './list-events.ts'
import { persistEvent } from './persist-event.ts'

const { pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await startAtEnd(pool, persistEvent)
const EVENTS = 300

/** An event a second, the last one now; every hundredth is `rare`. */
await queryInScope(pool, workspaceId, {
  text: `insert into events (workspace_id, id, recorded_at, type, name, subject, subject_id, data, occurred_at)
    select $1, 1000000 + n, now() - ($2 - n) * interval '1 second', 'event.recorded', case when n % 100 = 0 then 'rare' else 'visit' end, '',
      'user-' || n, jsonb_build_object('n', n), now() from generate_series(1, $2::int) n`,
  values: [workspaceId, EVENTS],
})

async function idsOf(search: Omit<EventSearch, 'limit'>, limit = 100): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listEvents(pool, workspaceId, { ...search, limit, cursor })
    ids.push(...page.items.map(({ id }) => Number(id) - 1_000_000))
    cursor = page.nextCursor
    if (cursor === undefined) return ids
  }
}
const all = Array.from({ length: EVENTS }, (_, n) => EVENTS - n)

test('events come newest first and without a gap, whatever the size of the page', async () => {
  assert.deepEqual(await idsOf({}), all)
  assert.deepEqual(await idsOf({}, 7), all)
  assert.deepEqual(await idsOf({ action: 'rare' }, 2), [300, 200, 100])
  await queryInScope(pool, workspaceId, {
    text: `update events set source = 'collect' where workspace_id = $1 and id in (1000007, 1000150)`,
    values: [workspaceId],
  })
  assert.deepEqual(await idsOf({ source: 'collect' }, 1), [150, 7])
  assert.deepEqual(await idsOf({ source: 'collect', action: 'rare' }), [])
  const [first] = (await listEvents(pool, workspaceId, { limit: 1 })).items
  assert.deepEqual([first?.action, first?.subjectId, first?.properties], ['rare', 'user-300', { n: 300 }])
})

test('a time is found by halving, and narrows from both sides', async () => {
  const at = async (id: number) =>
    (await listEvents(pool, workspaceId, { limit: 100 })).items.find((one) => one.id === String(1_000_000 + id))!
      .recordedAt
  const [from, to] = [await at(220), await at(250)]
  assert.deepEqual(
    await idsOf({ from, to }, 10),
    all.filter((id) => id >= 220 && id < 250),
  )
  assert.deepEqual(await idsOf({ to: '2020-01-01T00:00:00Z' }), [])
  assert.deepEqual(await idsOf({ to: '2099-01-01T00:00:00Z' }, 50), all)
  assert.deepEqual(await idsOf({ from: '2099-01-01T00:00:00Z' }), [])
  await assert.rejects(idsOf({ from: to, to: from }), { statusCode: 400 })
  await assert.rejects(listEvents(pool, workspaceId, { cursor: 'x', limit: 1 }), { code: 'bad-cursor' })
})

test('events that were numbered after ones of a later time hide none of those', async () => {
  const other = await createWorkspace(pool)
  await queryInScope(pool, other, {
    text: `insert into events (workspace_id, id, recorded_at, type, name, subject, subject_id, data, occurred_at)
      select $1, n, now() - make_interval(secs => case n when 1 then 1 else 40 end), 'event.recorded', 'visit', '', 'late', '{}', now()
      from generate_series(1, 4) n`,
    values: [other],
  })
  const from = new Date(Date.now() - 20_000).toISOString()
  const { items } = await listEvents(pool, other, { from, limit: 1 })
  assert.deepEqual(
    items.map(({ id }) => id),
    ['1'],
  )
})

test('another workspace sees none of it', async () => {
  const other = await createWorkspace(pool)
  assert.deepEqual((await listEvents(pool, other, { limit: 10 })).items, [])
  assert.deepEqual(await listActions(pool, other, { page: 1, pageSize: 10 }), { items: [], total: 0 })
})

test('names are kept as events are stored, with what the last one said until that is erased or gone', async () => {
  // Of one commit, and so stored together: of those that come within a minute a name keeps what the first has said.
  await pool.query(
    `insert into outbox (tx, workspace_id, type, name, subject, data, occurred_at)
     select outbox_tx(), $1, 'event.recorded', name, 'x', data::json, now()
     from (values (1, 'order.paid', '{"total": 1}'), (2, 'order.paid', '{"total": 2}'), (3, 'Visit', '{}')) said (n, name, data)
     order by n`,
    [workspaceId],
  )
  await readAll(watched(pool), persistEvent, { rowsMax: 100, attempts: 0 })
  const list = async (search?: string) => listActions(pool, workspaceId, { page: 1, pageSize: 10, search })
  assert.deepEqual((await list()).items.map(({ action, sample }) => [action, sample]).sort(), [
    ['Visit', {}],
    ['order.paid', { total: 2 }],
  ])
  assert.deepEqual((await list('ORDER')).total, 1)
  await queryInScope(pool, workspaceId, {
    text: `delete from events where workspace_id = $1 and name = 'order.paid'`,
    values: [workspaceId],
  })
  assert.deepEqual((await list('order')).items[0]?.sample, null)
  await queryInScope(pool, workspaceId, {
    text: `update event_actions set last_seen_at = now() - interval '401 days' where workspace_id = $1 and name = 'Visit'`,
    values: [workspaceId],
  })
  await forgetActions(pool, 400)
  assert.deepEqual((await list()).total, 1)
})
