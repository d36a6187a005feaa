import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, automationWorld } from '../../../../test/support/automation-by-hand.ts'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { ensurePartitions } from '../../../platform/db/partitions.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/durations.ts'
import type { Range } from '../../../platform/outbox/range.ts'
import { EVENT_PARTITIONS } from '../../events/queries.ts'
import { setSwitches } from '../definition/queries.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { moveRuns } from '../run/move-runs.ts'
import { takeStretch } from '../run/take-stretch.ts'
import { findFaults } from '../seeing/find-faults.ts'
import { type Placing, putPast } from './backfill-queries.ts'
import { beginBackfill, previewBackfill, readBackfill, revokeBackfill } from './manage-backfills.ts'
import { placeBackfill } from './place-backfill.ts'

const NOW_MS = Date.now()
const { pool, workspaceId, caller, rows } = await automationWorld()
await ensurePartitions(pool, EVENT_PARTITIONS, new Date(NOW_MS - 3 * DAY_MS))
const sql = { sql: pool }

test('as of then people begin at their first event, what they did since counts, and mail of the past is skipped', async () => {
  const [waits, buys] = await contacts(2)
  const key = await automation({ mode: 'once' })
  await happens([
    [waits!, asked, 48, { total: 5 }],
    [waits!, asked, 30, { total: 50 }],
    [waits!, asked, 20, { total: 60 }],
    [buys!, asked, 40, { total: 30 }],
    [buys!, 'paid', 39, {}],
  ])
  const preview = await previewBackfill(sql, key, { days: 3 })
  assert.deepEqual([preview.events, preview.people, preview.enteredBefore], [4, 2, 0])
  assert.deepEqual((await previewBackfill(sql, key, { days: 1 })).events, 1, 'of that time alone')
  assert.deepEqual(await rows('select from run_queue'), [], 'counting does nothing')
  await backfill(key, { asOf: 'then' })
  const placed = await readBackfill(sql, key)
  assert.deepEqual([placed.state, placed.events, placed.placed, placed.waiting], ['done', 4, 4, 4])
  assert.deepEqual(await overdue(), 0)
  await turns(key)
  assert.deepEqual(await traces(key), [
    [buys, 40, 'entered exit:criterion'],
    [waits, 30, 'entered to skipped to'],
  ])
  const refusals = await rows(
    'select contact_id::text as id, refusal, refusals from enrollments where refusal is not null',
  )
  assert.deepEqual(refusals, [{ id: waits, refusal: 'mode', refusals: 2 }], 'a verdict on each, the last one kept')
  // Nobody comes in by one event twice.
  assert.deepEqual((await previewBackfill(sql, key, { days: 3 })).events, 2)
})

test('more events than can be counted in time are refused as too many, not as a database that is away', async () => {
  const key = await automation({ mode: 'once' })
  const open = await openTransaction(pool, (tx) => tx.query('lock table enrollments in access exclusive mode'))
  const hasty = { ...sql, countMsMax: 200 }
  const tooMany = { statusCode: 422, detail: /more events than can be counted in 0.2 s: go through fewer days/ }
  await assert.rejects(previewBackfill(hasty, key, { days: 3 }), tooMany)
  await assert.rejects(beginBackfill(hasty, caller, { id: key.automationId, body: { days: 3, asOf: 'now' } }), tooMany)
  await open.commit()
})

test('as of now the newest event of each counts, at a pace, until it is revoked', async () => {
  const people = await contacts(5)
  const key = await automation({ mode: 'after_end' })
  await happens(people.flatMap((id, n) => [50, 10].map((hours) => [id, asked, hours, { total: 20 + n }] as const)))
  await beginBackfill(sql, caller, { id: key.automationId, body: { days: 3, asOf: 'now', perMinute: 4 } })
  await assert.rejects(backfill(key, { asOf: 'now' }), /runs already/)
  const paced = await placeBackfill(pool, key, AbortSignal.timeout(60_000))
  assert.deepEqual(paced, { outcome: 'snooze', afterMs: 60_000 })
  assert.equal((await readBackfill(sql, key)).placed, 4)
  await turns(key)
  await placeBackfill(pool, key, AbortSignal.timeout(60_000))
  await revokeBackfill(sql, caller, key.automationId)
  assert.deepEqual(await placeBackfill(pool, key, AbortSignal.timeout(60_000)), { outcome: 'ok' })
  const { state, waiting, placed } = await readBackfill(sql, key)
  assert.deepEqual([state, waiting, placed], ['revoked', 0, 8], 'those who wait are taken out again')
  await turns(key)
  const entered = await rows<{ hours: number; ago: number }>(
    `select round(extract(epoch from now() - event_at) / 3600)::int as hours, round(extract(epoch from now() - entered_at) / 3600)::int as ago
     from runs where automation_id = $1`,
    [key.automationId],
  )
  assert.deepEqual(
    entered,
    Array.from({ length: 4 }, () => ({ hours: 10, ago: 0 })),
  )
  await assert.rejects(revokeBackfill(sql, caller, key.automationId), /is over/)
})

test('revoking takes those back as well whose contact is merged as it comes to them', async () => {
  const [merged, survivor] = await contacts(2)
  const key = await automation({ mode: 'once' })
  await happens([[merged!, asked, 30, { total: 50 }]])
  await backfill(key, { asOf: 'then' })
  const merging = await openTransaction(
    pool,
    (tx) => moveRuns(tx, workspaceId, { fromId: merged!, toId: survivor! }),
    workspaceId,
  )
  await revokeBackfill(sql, caller, key.automationId)
  const taken = placeBackfill(pool, key, AbortSignal.timeout(60_000))
  await somebodyWaits(pool)
  await merging.commit()
  assert.deepEqual(await taken, { outcome: 'ok' })
  assert.equal((await readBackfill(sql, key)).waiting, 0)
})

test('of two that begin at once the second is told that one runs, and changes nothing of that', async () => {
  const key = await automation({ mode: 'once' })
  const begin = (asOf: 'now' | 'then', days: number) =>
    beginBackfill(sql, caller, { id: key.automationId, body: { days, asOf } })
  // The first has written its row, and waits to be in the audit log.
  const stalling = await openTransaction(pool, (tx) =>
    tx.query('select from workspaces where id = $1 for update', [workspaceId]),
  )
  const first = begin('then', 30)
  await somebodyWaits(pool)
  const second = begin('now', 1)
  await somebodyWaits(pool, 2)
  await stalling.commit()
  await Promise.all([first, assert.rejects(second, { statusCode: 409, message: /runs already/ })])
  assert.equal((await readBackfill(sql, key)).asOf, 'then')
})

test('an older event takes nobody’s place who has come in by a newer one', async () => {
  const [id] = await contacts(1)
  const key = await automation({ mode: 'restart' })
  await happens([[id!, asked, 30, { total: 30 }]])
  await backfill(key, { asOf: 'then' })
  await turns(key)
  await happens([[id!, asked, 40, { total: 30 }]])
  await backfill(key, { asOf: 'then' })
  await turns(key)
  assert.deepEqual(
    (await traces(key)).map(([, hours]) => hours),
    [30],
  )
})

test('an event that the log brings after the past was gone through brings nobody in twice', async () => {
  const [waits, ended] = await contacts(2)
  const key = await automation({ mode: 'every' })
  const live = () => inTransaction(pool, workspaceId, (tx) => enrollAutomations.handle(tx, range))
  await happens([
    [waits!, asked, 30, { total: 30 }],
    [ended!, asked, 29, { total: 30 }],
    [ended!, 'paid', 28, {}],
  ])
  // The log has rows that the group has not come to: as while it is late, or as one that was parked and is handled again.
  const range = await logged([waits!, ended!])
  await backfill(key, { asOf: 'then' })
  await turns(key)
  await live()
  await turns(key)
  assert.deepEqual(await traces(key), [
    [waits, 30, 'entered to skipped to'],
    [ended, 29, 'entered exit:criterion'],
  ])
})

test('an event that the log brings while it waits as one of the past is as if the past had not been gone through', async () => {
  const [keeps] = await contacts(1)
  const revoked = await automation({ mode: 'once' })
  await happens([[keeps!, asked, 3, { total: 30 }]])
  const inLog = await logged([keeps!])
  await beginBackfill(sql, caller, { id: revoked.automationId, body: { days: 3, asOf: 'now', perMinute: 1 } })
  await placeBackfill(pool, revoked, AbortSignal.timeout(60_000))
  await inTransaction(pool, workspaceId, (tx) => enrollAutomations.handle(tx, inLog))
  await revokeBackfill(sql, caller, revoked.automationId)
  assert.deepEqual(await placeBackfill(pool, revoked, AbortSignal.timeout(60_000)), { outcome: 'ok' })
  await turns(revoked)
  assert.deepEqual(
    await traces(revoked),
    [[keeps, 3, 'entered to to to']],
    'revoking takes nobody back who came by themselves',
  )

  const [mailed] = await contacts(1)
  const late = await automation({ mode: 'every' })
  await happens([[mailed!, asked, 3, { total: 30 }]])
  const behind = await logged([mailed!])
  await backfill(late, { asOf: 'then' })
  await inTransaction(pool, workspaceId, (tx) => enrollAutomations.handle(tx, behind))
  await turns(late)
  await inTransaction(pool, workspaceId, (tx) => enrollAutomations.handle(tx, behind))
  await turns(late)
  assert.deepEqual(await traces(late), [[mailed, 3, 'entered to to to']], 'nor is their mail one of the past')
})

test('an event that waits to be refused, for the entry was closed then, counts where the past is gone through', async () => {
  for (const [asOf, hours, ways] of [
    ['then', 3, 'entered to skipped to'],
    ['now', 0, 'entered'],
  ] as const) {
    const [id] = await contacts(1)
    const key = await automation({ mode: 'once' })
    const turnEntry = (entryOpen: boolean) =>
      inTransaction(pool, workspaceId, (tx) => setSwitches(tx, { workspaceId, id: key.automationId }, { entryOpen }))
    await happens([[id!, asked, 3, { total: 30 }]])
    await turnEntry(false)
    const range = await logged([id!])
    await inTransaction(pool, workspaceId, (tx) => enrollAutomations.handle(tx, range))
    await turnEntry(true)
    await backfill(key, { asOf })
    await turns(key)
    assert.deepEqual(await traces(key), [[id, hours, ways]])
  }
})

test('a chunk looks at so many events, however few of them are triggers of the window, and the walk passes each once', async () => {
  const [id] = await contacts(1)
  const key = await automation({ mode: 'every' })
  await rows('delete from events where workspace_id = $1', [workspaceId])
  const others = [47, 46, 45, 44, 43, 42].map((hours) => [id!, 'other', hours, {}] as const)
  const triggers = [60, 35, 30, 25].map((hours) => [id!, asked, hours, { total: 30 }] as const)
  await happens([...others, ...triggers])
  const window = { names: [asked], ...hoursAgo(48), limit: 2, lookedAt: 3 }
  for (const [asOf, placed] of [
    ['then', [0, 0, 2, 1]],
    ['now', [2, 1, 0, 0]],
  ] as const) {
    let last: string | null = null
    for (const [n, count] of placed.entries()) {
      const placing: Placing = { ...window, asOf, lastId: last }
      const chunk = await inTransaction(pool, workspaceId, (tx) => putPast(tx, key, placing))
      assert.deepEqual([chunk.placed, chunk.isOver], [count, n === placed.length - 1], `${asOf} ${n}`)
      last = chunk.lastId
    }
    await rows('delete from run_queue where automation_id = $1', [key.automationId])
  }
})

const hoursAgo = (hours: number) => ({
  from: new Date(NOW_MS - hours * HOUR_MS).toISOString(),
  until: new Date(NOW_MS).toISOString(),
})

test('an event that too many automations have led to brings nobody in where the past is gone through either', async () => {
  const [first, led] = await contacts(2)
  const key = await automation({ mode: 'every' })
  await happens([[first!, asked, 4, { total: 30 }]])
  await backfill(key, { asOf: 'then' })
  await turns(key)
  const [run] = await rows<{ id: string }>('select id from ended_runs where automation_id = $1', [key.automationId])
  const cause = { automationId: Number(key.automationId), runId: Number(run!.id), depth: 9 }
  await happens([[led!, asked, 3, { total: 30, cause }]])
  await backfill(key, { asOf: 'now' })
  await turns(key)
  const refused = await rows<{ refusal: string }>(
    'select refusal from enrollments where automation_id = $1 and contact_id = $2',
    [key.automationId, led],
  )
  assert.deepEqual(refused, [{ refusal: 'loop' }])
})

type Key = { workspaceId: string; automationId: string }

/** Puts the last trigger of each into the log, as the intake does before the event is persisted. */
async function logged(contactIds: readonly string[]): Promise<Range> {
  const { rows: found } = await inTransaction(pool, workspaceId, (tx) =>
    tx.query<{ tx: string; position: string }>(
      `insert into outbox (workspace_id, position, type, name, subject, contact_id, data, occurred_at)
       select workspace_id, id, type, name, subject, contact_id, data, occurred_at from events
       where name = $1 and contact_id = any ($2::int8[]) order by id returning tx, position`,
      [asked, contactIds],
    ),
  )
  const last = found.at(-1)!
  return { fromTx: last.tx, fromPosition: '0', toTx: last.tx, toPosition: last.position, rows: found.length }
}

let asked = ''
async function automation(again: object): Promise<Key> {
  asked = `asked.${made}`
  const enter = { on: [{ event: asked, where: [{ property: 'total', operator: '>=', value: 20 }] }], again }
  const exit = [{ event: 'paid' }]
  const nodes = {
    rest: { type: 'delay', hours: 2, to: 'mail' },
    mail: { type: 'email', subject: 'Late', body: '<p>{{ unsubscribe_url }}</p>', to: 'warm' },
    warm: { type: 'tag', add: ['warm'], to: 'end' },
  }
  return automationByHand(pool, workspaceId, { format: 1, enter, exit, start: 'rest', nodes })
}

let made = 0
async function contacts(count: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email)
     select $1, 'past' || n || '-' || $3 || '@example.com' from generate_series(1, $2::int) n returning id`,
    [workspaceId, count, ++made],
  )
  return found.map(({ id }) => id)
}

let position = 0
async function happens(events: readonly (readonly [id: string, name: string, hoursAgo: number, data: object])[]) {
  const inOrder = [...events].sort(([, , one], [, , other]) => other - one)
  for (const [contactId, name, hours, data] of inOrder) {
    const at = new Date(NOW_MS - hours * HOUR_MS).toISOString()
    await rows(
      `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
       values ($1, $2, $3, 'event.recorded', $4, '', $5, $6, $3)`,
      [workspaceId, ++position, at, name, contactId, JSON.stringify(data)],
    )
  }
}

async function backfill(key: Key, { asOf }: { asOf: 'now' | 'then' }): Promise<void> {
  await beginBackfill(sql, caller, { id: key.automationId, body: { days: 3, asOf } })
  assert.deepEqual(await placeBackfill(pool, key, AbortSignal.timeout(60_000)), { outcome: 'ok' })
}

/** Does what is due until nothing is. */
async function turns(key: Key): Promise<void> {
  for (let found = 1; found > 0; ) {
    found = 0
    for (const slot of [0, 1]) {
      const clock = new Date(Date.now() + 1_000).toISOString()
      found += (await takeStretch(pool, { ...key, slot, turn: '1', jobId: '' }, { times: { clock, through: clock } }))
        .rows
    }
  }
}

/** Each run with who it is of, how many hours ago it began, and its ways. */
const traces = async ({ automationId }: Key) =>
  (
    await rows<{ id: string; hours: number; ways: string }>(
      `select r.contact_id::text as id, round(extract(epoch from now() - r.entered_at) / 3600)::int as hours,
         (select string_agg(way, ' ' order by visit) from run_steps s where s.run_id = r.id) as ways
       from (select id, contact_id, entered_at from runs where automation_id = $1
         union all select id, contact_id, entered_at from ended_runs where automation_id = $1) r order by r.entered_at`,
      [automationId],
    )
  ).map(({ id, hours, ways }) => [id, hours, ways])

const overdue = async () => (await findFaults(pool)).find(({ fault }) => fault === 'overdue')!.found
