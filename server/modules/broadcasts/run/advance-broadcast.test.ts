import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastDeps } from '../../../../test/support/broadcast-deps.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import type { Problem } from '../../../platform/problem.ts'
import { mergeContacts } from '../../personal-data/merge-contacts.ts'
import { createSegment } from '../../segments/manage-segments.ts'
import { createBroadcast, deleteBroadcast, setAudience, updateBroadcast } from '../manage-broadcasts.ts'
import { readBroadcast } from '../read-broadcasts.ts'
import { listRecipients, readReport } from '../report/read-report.ts'
import { advanceBroadcast } from './advance-broadcast.ts'
import { finishWhenDone } from './end-broadcast.ts'
import { scheduleBroadcast, sendBroadcast, unscheduleBroadcast } from './start-broadcast.ts'
import {
  cancelBroadcast,
  pauseBroadcast,
  resolveUncertain,
  resumeBroadcast,
  retryFailedMessages,
} from './steer-broadcast.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)

let fault: string | null = null
const deps = { ...broadcastDeps(pool), contentFault: async () => fault }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R & Record<string, unknown>>(pool, workspaceId, { text, values })

/** Contacts of a kind of their own, so that each test has an audience that nobody else changes. */
async function contacts(kind: string, count: number, { timeZone = null as string | null } = {}): Promise<string> {
  for (let from = 1; from <= count; from += 5_000) {
    await rows(
      `insert into contacts (workspace_id, email, subject_id, last_name, time_zone)
       select $1, $2::text || n || '@' || $2::text || '.example', $2::text || '-' || n || coalesce($4::text, ''), $2::text, $4
       from generate_series($5::int, least($5::int + 4999, $3::int)) n`,
      [
        workspaceId,
        timeZone === null ? kind : `${kind}-${timeZone.replaceAll('/', '-').toLowerCase()}`,
        count,
        timeZone,
        from,
      ],
    )
  }
  if (timeZone !== null)
    await rows('update contacts set last_name = $2 where workspace_id = $1 and time_zone = $3', [
      workspaceId,
      kind,
      timeZone,
    ])
  return kind
}
const rule = (kind: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'last_name', operator: '=', value: kind }] })
const segment = async (kind: string) =>
  (await createSegment(deps, caller, { name: `all of ${kind}`, definition: rule(kind) })).id

async function draftFor(kind: string) {
  const segmentId = await segment(kind)
  const body = { name: `To ${kind}`, subject: 'Hello', body: '<p>Hello</p>', segmentId }
  return { ...(await createBroadcast(deps, caller, body)), segmentId }
}
const advance = (id: string) => advanceBroadcast(deps, { workspaceId, id })
const report = (id: string) => readReport(pool, { workspaceId, id })
const statusOf = async (id: string) => (await report(id)).status
const problem = (status: number, detail: RegExp) => (error: Problem) => {
  assert.equal(error.statusCode, status)
  assert.match(error.detail ?? '', detail)
  return true
}

/** The sending's part with messages: settles those that wait, as `state`. */
async function settle(id: string, state: string, { reason = null as string | null, most = 1_000_000 } = {}) {
  await inTransaction(pool, workspaceId, async (tx) => {
    await tx.query({
      text: `with taken as materialized (
          select message_id as id, message_created_at as created_at from message_queue q
          where q.workspace_id = $5 and q.stream_id = (select stream_id from broadcasts where workspace_id = $5 and id = $1)
          order by 1 limit $4
        ), gone as (
          delete from message_queue where workspace_id = $5 and message_id = any (array(select id from taken))
        )
        update messages m set state = $2, reason = $3, settled_at = now() from taken
        where m.workspace_id = $5 and m.id = taken.id and m.created_at = taken.created_at`,
      values: [id, state, reason, most, workspaceId],
    })
    await finishWhenDone(tx, { workspaceId, id })
  })
}

test('a broadcast goes from draft to sent, and its numbers fit at every step', async () => {
  const { id } = await draftFor(await contacts('walk', 12_345))
  assert.equal((await sendBroadcast(deps, caller, { id })).status, 'sending')
  const before = await report(id)
  assert.deepEqual([before.recipientsTotal, before.pendingCount, before.addsUp], [0, 0, true])
  const seen: unknown[] = []
  let steps = 0
  const onceThenYield = { ...deps, shouldYield: () => ++steps > 0 }
  for (;;) {
    const { end } = await advanceBroadcast(onceThenYield, { workspaceId, id })
    const now = await report(id)
    seen.push([now.recipientsTotal, now.pendingCount, now.addsUp])
    if (end === 'done') break
  }
  assert.deepEqual(seen, Array(seen.length).fill([12_345, 12_345, true]))
  assert.ok(seen.length >= 4, 'freezing, two chunks, closing')
  await settle(id, 'failed', { reason: 'mailbox_full', most: 45 })
  await settle(id, 'uncertain', { reason: 'connection_lost', most: 300 })
  assert.equal(await statusOf(id), 'sending')
  await settle(id, 'accepted')
  const done = await report(id)
  assert.deepEqual(
    [done.status, done.acceptedCount, done.failedCount, done.uncertainCount, done.pendingCount, done.addsUp],
    ['sent', 12_000, 45, 300, 0, true],
  )
  assert.deepEqual(done.failedByReason, [{ reason: 'mailbox_full', count: 45 }])
  assert.ok((await readBroadcast(pool, { workspaceId, id })).sentAt)
  const finished = await rows(`select name from outbox where type like 'broadcast.%' and (data->>'broadcastId') = $1`, [
    id,
  ])
  assert.deepEqual(finished.map(({ name }) => name).sort(), ['broadcast.finished', 'broadcast.started'])
  assert.deepEqual(await rows('select from broadcast_chunks where broadcast_id = $1', [id]), [])
})

test('only the failed are tried again, and it is sent once more when they are settled', async () => {
  const { id } = await draftFor(await contacts('again', 5_100))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  await settle(id, 'accepted', { most: 100 })
  await settle(id, 'failed', { reason: 'content_refused' })
  assert.equal(await statusOf(id), 'sent')
  await assert.rejects(
    resolveUncertain(deps, caller, { id, as: 'sent' }),
    problem(409, /None of its messages is uncertain/),
  )
  assert.equal((await retryFailedMessages(deps, caller, id)).status, 'sending')
  await assert.rejects(retryFailedMessages(deps, caller, id), problem(409, /still being done/))
  await advance(id)
  const again = await report(id)
  assert.deepEqual([again.pendingCount, again.acceptedCount, again.failedCount], [5_000, 100, 0])
  await settle(id, 'uncertain', { reason: 'process_lost' })
  assert.equal(await statusOf(id), 'sent')
  await resolveUncertain(deps, caller, { id, as: 'sent' })
  await advance(id)
  const end = await report(id)
  assert.deepEqual([end.status, end.acceptedCount, end.uncertainCount, end.addsUp], ['sent', 5_100, 0, true])
  const [told] = await rows(
    `select count(*) as events, count(distinct data->>'messageId') as messages,
       count(*) filter (where data->>'providerMessageId' is null) as nameless
     from outbox where type = 'email.sent' and (data->>'broadcastId') = $1`,
    [id],
  )
  assert.deepEqual(told, { events: '5000', messages: '5000', nameless: '5000' }, 'of those that were decided on, once')
})

test('paused it still plans, and canceled everybody who was not written to is skipped', async () => {
  const { id } = await draftFor(await contacts('stop', 11_000))
  await sendBroadcast(deps, caller, { id })
  assert.equal((await pauseBroadcast(deps, caller, id)).status, 'paused')
  await assert.rejects(pauseBroadcast(deps, caller, id), problem(409, /It is paused; only a sending one is paused/))
  await advance(id)
  assert.equal((await report(id)).pendingCount, 11_000)
  assert.equal((await resumeBroadcast(deps, caller, id)).status, 'sending')
  await settle(id, 'accepted', { most: 500 })
  assert.equal((await cancelBroadcast(deps, caller, id)).status, 'canceled')
  await advance(id)
  const end = await report(id)
  assert.deepEqual([end.acceptedCount, end.pendingCount, end.addsUp], [500, 0, true])
  assert.deepEqual(end.skippedByReason, [{ reason: 'canceled', count: 10_500 }])
  assert.deepEqual(
    await rows(
      'select from message_queue where workspace_id = $1 and stream_id = (select stream_id from broadcasts where id = $2)',
      [workspaceId, id],
    ),
    [],
  )
})

test('canceled while a worker has messages, they are skipped at once, but those that it hands over, until they come back', async () => {
  const { id } = await draftFor(await contacts('held', 10))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  const stream = 'stream_id = (select stream_id from broadcasts where id = $1)'
  await rows(
    `update message_queue set slot = 0, turn = 1
      where message_id in (select message_id from message_queue where ${stream} order by message_id limit 5)`,
    [id],
  )
  await rows(
    `update message_queue set handing_at = now()
      where message_id in (select message_id from message_queue where ${stream} order by message_id limit 3)`,
    [id],
  )
  await cancelBroadcast(deps, caller, id)
  assert.equal((await advance(id)).end, 'wait')
  assert.equal((await report(id)).pendingCount, 3)
  await rows(`update message_queue set slot = null, turn = null, handing_at = null where ${stream}`, [id])
  assert.equal((await advance(id)).end, 'done')
  const end = await report(id)
  assert.deepEqual([end.pendingCount, end.skippedCount, end.addsUp], [0, 10, true])
})

test('canceled before its audience is frozen it has none', async () => {
  const { id } = await draftFor(await contacts('early', 10))
  await sendBroadcast(deps, caller, { id })
  await cancelBroadcast(deps, caller, id)
  await advance(id)
  const end = await report(id)
  assert.deepEqual([end.status, end.recipientsTotal, end.addsUp], ['canceled', 0, true])
})

test('two runs at once plan everybody once', async () => {
  const { id } = await draftFor(await contacts('twice', 12_000))
  await sendBroadcast(deps, caller, { id })
  await Promise.all([advance(id), advance(id), advance(id)])
  const now = await report(id)
  assert.deepEqual([now.recipientsTotal, now.pendingCount, now.addsUp], [12_000, 12_000, true])
})

test('several segments are put together, each contact once, without those of the excluded ones', async () => {
  const [one, two, out] = [await contacts('one', 5), await contacts('two', 5), await contacts('out', 3)]
  const ids = [await segment(one), await segment(two), await segment(out)]
  const union = JSON.stringify({
    combinator: 'or',
    rules: [one, out].map((kind) => ({ field: 'last_name', operator: '=', value: kind })),
  })
  const overlapping = (await createSegment(deps, caller, { name: 'one and out', definition: union })).id
  const { id } = await createBroadcast(deps, caller, { name: 'Several', subject: 'a', body: 'b' })
  const audience = { segmentIds: [ids[0]!, ids[1]!, overlapping], excludedSegmentIds: [ids[2]!] }
  const set = await setAudience(deps, caller, { id, body: audience })
  assert.deepEqual([set.segmentId, set.segmentIds, set.excludedSegmentIds], [null, audience.segmentIds, [ids[2]]])
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  assert.equal((await report(id)).recipientsTotal, 10)
  const { items } = await listRecipients(pool, { workspaceId, id }, { limit: 100 })
  assert.deepEqual(
    new Set(items.map(({ destination }) => destination.replace(/.*@/, ''))),
    new Set(['one.example', 'two.example']),
  )
})

test('a local time is due to each contact in its own zone, the earliest first', async () => {
  const kind = 'zones'
  for (const timeZone of ['Pacific/Kiritimati', 'Europe/Berlin', 'america/new_york', 'Not/AZone']) {
    await contacts(kind, 2, { timeZone })
  }
  const { id } = await draftFor(kind)
  const schedule = { localTime: '2027-01-15T09:00', timeZone: 'Asia/Tokyo' }
  const year = 2036
  const body = { ...schedule, localTime: schedule.localTime.replace('2027', String(year)) }
  const scheduled = await scheduleBroadcast(deps, caller, { id, body })
  assert.deepEqual(
    [scheduled.status, scheduled.scheduledAt, scheduled.localTime, scheduled.localTimeZone],
    ['scheduled', `${year}-01-14T19:00:00Z`, `${year}-01-15T09:00:00`, 'Asia/Tokyo'],
  )
  const waiting = await advance(id)
  assert.ok(waiting.end === 'wait' && waiting.afterMs > 0)
  await rows('update broadcasts set scheduled_at = now() where workspace_id = $1 and id = $2', [workspaceId, id])
  await advance(id)
  const due = await rows<{ zone: string; due: string }>(
    `select distinct c.time_zone as zone, q.due_at as due from message_queue q
     join messages m on m.workspace_id = q.workspace_id and m.id = q.message_id
     join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
     where m.source_kind = 'broadcast' and m.source_id = $1 order by 2`,
    [id],
  )
  assert.deepEqual(
    due.map(({ zone, due }) => [zone, due]),
    [
      ['Pacific/Kiritimati', `${year}-01-14T19:00:00Z`],
      ['Not/AZone', `${year}-01-15T00:00:00Z`],
      ['Europe/Berlin', `${year}-01-15T08:00:00Z`],
      ['america/new_york', `${year}-01-15T14:00:00Z`],
    ],
  )
})

test('contacts that are merged while it is planned each keep one place, and it comes to its end', async () => {
  const kind = 'merging'
  await contacts(kind, 2, { timeZone: 'Pacific/Auckland' })
  await contacts(kind, 4, { timeZone: 'America/Lima' })
  await contacts('outsider', 1)
  const idOf = async (email: string) =>
    (await rows<{ id: string }>('select id from contacts where email = $1', [email]))[0]!.id
  const early = (n: number) => idOf(`merging-pacific-auckland${n}@merging-pacific-auckland.example`)
  const late = (n: number) => idOf(`merging-america-lima${n}@merging-america-lima.example`)
  const outsider = await idOf('outsider1@outsider.example')
  const { id } = await draftFor(kind)
  await scheduleBroadcast(deps, caller, { id, body: { localTime: '2036-01-15T09:00' } })
  await rows('update broadcasts set scheduled_at = now() where workspace_id = $1 and id = $2', [workspaceId, id])
  const isFirstPlanned = async () =>
    (await rows('select from broadcasts where id = $1 and next_chunk = 1', [id])).length === 1
  const oneStep = { ...deps, shouldYield: () => true }
  while (!(await isFirstPlanned())) await advanceBroadcast(oneStep, { workspaceId, id })

  const merging = { sql: pool, enqueueSweep: async () => undefined }
  const merge = (otherId: string, into: string) => mergeContacts(merging, caller, { id: into, otherId })
  await merge(await early(1), await late(1))
  await merge(await late(2), outsider)
  await merge(await late(3), await late(4))
  await advance(id)
  const planned = await report(id)
  assert.deepEqual([planned.recipientsTotal, planned.pendingCount, planned.addsUp], [6, 4, true])
  assert.deepEqual(planned.skippedByReason, [{ reason: 'contact_gone', count: 2 }])
  const mailed = await rows(`select contact_id as id from messages where source_id = $1 and state = 'pending'`, [id])
  assert.deepEqual(
    new Set(mailed.map((row) => row.id)),
    new Set([await late(1), await early(2), outsider, await late(4)]),
  )
  await settle(id, 'accepted')
  assert.equal(await statusOf(id), 'sent')
})

test('sent before its local time it is due at once', async () => {
  const { id } = await draftFor(await contacts('hurried', 2))
  await scheduleBroadcast(deps, caller, { id, body: { localTime: '2036-01-01T09:00' } })
  assert.equal((await sendBroadcast(deps, caller, { id })).localTime, null)
  await advance(id)
  const late = await rows(
    `select from message_queue q join messages m on m.workspace_id = q.workspace_id and m.id = q.message_id
     where m.source_kind = 'broadcast' and m.source_id = $1 and q.due_at > now()`,
    [id],
  )
  assert.equal(late.length, 0)
})

test('what failed while it was paused goes out when it is sent again', async () => {
  const { id, segmentId } = await draftFor(await contacts('unpaused', 2))
  const setSegment = (of: string) =>
    rows('update broadcasts set segment_ids = array[$2::bigint] where id = $1', [id, of])
  await sendBroadcast(deps, caller, { id })
  await pauseBroadcast(deps, caller, id)
  await setSegment('999999')
  await advance(id)
  assert.equal(await statusOf(id), 'failed')
  await unscheduleBroadcast(deps, caller, id)
  await setSegment(segmentId)
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  const [stream] = await rows(
    'select s.state from send_streams s join broadcasts b on b.stream_id = s.id where b.id = $1',
    [id],
  )
  assert.deepEqual([await statusOf(id), stream], ['sending', { state: 'open' }])
})

test('sent again after it ended while it was paused, it goes out', async () => {
  const { id } = await draftFor(await contacts('ended', 2))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  await pauseBroadcast(deps, caller, id)
  await settle(id, 'failed', { reason: 'policy_refused' })
  assert.equal(await statusOf(id), 'sent')
  await retryFailedMessages(deps, caller, id)
  await advance(id)
  const [stream] = await rows(
    `select s.state, (select count(*) from message_queue q where q.workspace_id = s.workspace_id and q.stream_id = s.id) as queued
     from send_streams s join broadcasts b on b.stream_id = s.id where b.id = $1`,
    [id],
  )
  assert.deepEqual([await statusOf(id), stream], ['sending', { state: 'open', queued: '2' }])
})

/** The pool of a process that dies when it takes a connection for the time `n`, from 0. */
function dyingAt(n: number) {
  let begun = 0
  const connect = (done?: (error: Error) => void) => {
    if (begun++ < n) return done ? pool.connect(done as never) : pool.connect()
    const death = new Error('it has died')
    return done ? done(death) : Promise.reject(death)
  }
  return new Proxy(pool, { get: (of, key) => (key === 'connect' ? connect : Reflect.get(of, key, of)) })
}

/** Has a run die before each of its transactions, the next one go on, and the stream then have a turn coming. */
async function diesAnywhere(id: string, { again }: { again: () => Promise<unknown> }) {
  for (let n = 0; ; n++) {
    await rows(`update send_lanes set state = 'idle', job_id = null, wake_at = null where workspace_id = $1`, [
      workspaceId,
    ])
    await again()
    const died = await advanceBroadcast({ ...deps, pool: dyingAt(n) }, { workspaceId, id }).then(
      () => false,
      () => true,
    )
    await advance(id)
    const lanes = await rows<{ state: string }>(
      `select distinct l.state from send_lanes l join broadcasts b on b.workspace_id = l.workspace_id
         and b.stream_id = l.stream_id where b.workspace_id = $1 and b.id = $2`,
      [workspaceId, id],
    )
    assert.deepEqual(lanes, [{ state: 'waiting' }], `died before transaction ${n}`)
    if (!died) return n
  }
}

test('whenever a run dies that plans, the next one has the messages sent', async () => {
  const { id } = await draftFor(await contacts('mortal', 3))
  await sendBroadcast(deps, caller, { id })
  const again = () =>
    rows(
      `with unplanned as (delete from message_queue where workspace_id = $1), gone as (
         delete from messages where workspace_id = $1 and source_id = $2)
       update broadcasts set recipients_total = null, planned_at = null, next_chunk = 0, planned_total = 0
       where workspace_id = $1 and id = $2`,
      [workspaceId, id],
    )
  assert.ok((await diesAnywhere(id, { again })) >= 5)
})

test('whenever a run dies that tries messages again, the next one has them sent', async () => {
  const { id } = await draftFor(await contacts('second', 3))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  const again = async () => {
    await settle(id, 'failed', { reason: 'content_refused' })
    await retryFailedMessages(deps, caller, id)
  }
  assert.ok((await diesAnywhere(id, { again })) >= 3)
})

test('canceled while it is planned, everybody is skipped and the sum fits', async () => {
  const { id } = await draftFor(await contacts('halfway', 12_000))
  await sendBroadcast(deps, caller, { id })
  let steps = 0
  await advanceBroadcast({ ...deps, shouldYield: () => ++steps === 2 }, { workspaceId, id })
  await cancelBroadcast(deps, caller, id)
  const between = await report(id)
  assert.deepEqual([between.recipientsTotal, between.pendingCount, between.addsUp], [12_000, 12_000, true])
  await advance(id)
  const end = await report(id)
  assert.deepEqual([end.status, end.pendingCount, end.addsUp], ['canceled', 0, true])
  assert.deepEqual(end.skippedByReason, [{ reason: 'canceled', count: 12_000 }])
})

test('what is scheduled starts when its time has come, and not before, and not when it was taken back', async () => {
  const { id } = await draftFor(await contacts('later', 3))
  const soon = new Date(Date.now() + 60_000).toISOString()
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: soon } })
  assert.equal((await advance(id)).end, 'wait')
  assert.equal((await unscheduleBroadcast(deps, caller, id)).status, 'draft')
  assert.equal((await advance(id)).end, 'done')
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: soon } })
  await rows(`update broadcasts set scheduled_at = now() where workspace_id = $1 and id = $2`, [workspaceId, id])
  await advance(id)
  const now = await report(id)
  assert.deepEqual([now.status, now.pendingCount], ['sending', 3])
})

test('a schedule must be one of both kinds and to come', async () => {
  const { id } = await draftFor(await contacts('when', 1))
  const refused = (body: object, status: number, detail: RegExp) =>
    assert.rejects(scheduleBroadcast(deps, caller, { id, body }), problem(status, detail))
  await refused({ scheduledAt: '2020-01-01T00:00:00Z' }, 422, /must be in the future/)
  await refused({ localTime: '2020-01-01T00:00' }, 422, /must be in the future/)
  await refused({ localTime: '2999-01-01T00:00', timeZone: 'Mars/Olympus' }, 422, /not a time zone/)
  await assert.rejects(scheduleBroadcast(deps, caller, { id, body: {} }), { statusCode: 400 })
  await assert.rejects(scheduleBroadcast(deps, caller, { id, body: { localTime: '2027-02-30T00:00' } }), {
    statusCode: 400,
  })
})

test('what cannot be rendered, or whom it goes to is not clear any more, fails before anybody is written to', async () => {
  const { id, segmentId } = await draftFor(await contacts('broken', 4))
  const soon = new Date(Date.now() + 60_000).toISOString()
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: soon } })
  await rows(`update broadcasts set scheduled_at = now() where workspace_id = $1 and id = $2`, [workspaceId, id])
  fault = 'body line 3: is broken'
  await advance(id)
  fault = null
  assert.equal((await readBroadcast(pool, { workspaceId, id })).failure, 'body line 3: is broken')
  assert.equal((await unscheduleBroadcast(deps, caller, id)).status, 'draft')
  await rows(
    `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"x"}]}' where id = $1`,
    [segmentId],
  )
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  const failed = await readBroadcast(pool, { workspaceId, id })
  assert.deepEqual([failed.status, failed.startedAt !== null], ['failed', true])
  assert.match(failed.failure ?? '', /no longer holds/)
  assert.deepEqual(await rows('select from messages where source_id = $1', [id]), [])
  await deleteBroadcast(deps, caller, { id })
})

test('the planner learns how large the ledger has become, while it is planned', async () => {
  const { id } = await draftFor(await contacts('known', 9_000))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  const { rows: known } = await pool.query<{ share: number }>(
    `select sum(relpages)::float8 * current_setting('block_size')::int / sum(pg_relation_size(c.oid)) as share
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'messages'::regclass`,
  )
  assert.ok(known[0]!.share > 1 / 5, `it knows ${known[0]!.share} of it`)
})

test('what is no draft any more does not change', async () => {
  const { id } = await draftFor(await contacts('fixed', 1))
  await sendBroadcast(deps, caller, { id })
  await assert.rejects(
    updateBroadcast(deps, caller, { id, change: { subject: 'Other' } }),
    problem(409, /It is sending/),
  )
  await assert.rejects(setAudience(deps, caller, { id, body: { segmentId: null } }), problem(409, /It is sending/))
  await assert.rejects(deleteBroadcast(deps, caller, { id }), problem(409, /It is sending/))
  await assert.rejects(sendBroadcast(deps, caller, { id }), problem(409, /It is sending/))
})

test('of ever so many sends at once one starts it', async () => {
  const { id } = await draftFor(await contacts('race', 1))
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => sendBroadcast(deps, caller, { id })))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('recipients are listed person by person, by what became of them', async () => {
  const { id } = await draftFor(await contacts('listed', 30))
  await sendBroadcast(deps, caller, { id })
  await advance(id)
  await settle(id, 'failed', { reason: 'policy_refused', most: 7 })
  const key = { workspaceId, id }
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const found = await listRecipients(pool, key, { limit: 4, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...found.items.map(({ messageId }) => messageId))
    cursor = found.nextCursor
  } while (cursor !== undefined)
  assert.equal(new Set(seen).size, 30)
  const failed = await listRecipients(pool, key, { limit: 7, state: 'failed', reason: 'policy_refused' })
  assert.deepEqual([failed.items.length, failed.nextCursor], [7, undefined])
  const contactId = failed.items[0]!.contactId!
  assert.equal((await listRecipients(pool, key, { limit: 5, contactId })).items.length, 1)
  assert.equal((await listRecipients(pool, key, { limit: 5, destination: ' LISTED3@listed.example ' })).items.length, 1)
  assert.equal((await listRecipients(pool, key, { limit: 5, mark: 'opened' })).items.length, 0)
  await assert.rejects(listRecipients(pool, key, { limit: 5, cursor: 'nonsense' }), { statusCode: 400 })
})

test('planning looks addresses up by index, however many are suppressed, and tells who is gone', async () => {
  for (let from = 0; from < 20_000; from += 5_000) {
    await rows(
      `insert into suppressions (workspace_id, destination, reason)
       select $1, 's' || n || '@elsewhere.example', 'manual' from generate_series($2::int, $2::int + 4999) n`,
      [workspaceId, from],
    )
  }
  const { id } = await draftFor(await contacts('lists', 10_000))
  await rows(
    `insert into suppressions (workspace_id, destination, reason) values ($1, 'lists7@lists.example', 'complaint')`,
    [workspaceId],
  )
  await sendBroadcast(deps, caller, { id })
  let steps = 0
  await advanceBroadcast({ ...deps, shouldYield: () => ++steps === 1 }, { workspaceId, id })
  await rows(`delete from contacts where workspace_id = $1 and email = 'lists8@lists.example'`, [workspaceId])
  const startedMs = performance.now()
  await advance(id)
  // Looking through the whole list for each took more than a minute.
  assert.ok(performance.now() - startedMs < 15_000)
  const now = await report(id)
  assert.deepEqual([now.recipientsTotal, now.pendingCount], [10_000, 9_998])
  assert.deepEqual(now.suppressedByReason, [{ reason: 'complaint', count: 1 }])
  assert.deepEqual(now.skippedByReason, [{ reason: 'contact_gone', count: 1 }])
})
