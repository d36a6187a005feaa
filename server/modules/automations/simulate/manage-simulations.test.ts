import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { callerOf, testWorkspace } from '../../../../test/support/workspace.ts'
import { ensurePartitions } from '../../../platform/db/partitions.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { HOUR_MS } from '../../../platform/durations.ts'
import { messagePartitions } from '../../sending/ledger/message-partitions.ts'
import { cancelSimulation, createSimulation, readSimulation } from './manage-simulations.ts'
import { CHARS_OF_PAGE_MAX, CHARS_OF_PERSON_MAX, EVENTS_OF_PERSON_MAX } from './read-people.ts'
import { runSimulation } from './run-simulation.ts'
import { walkPeople } from './walk-people.ts'

const { pool, workspaceId } = await testWorkspace()
const caller = callerOf(workspaceId)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

async function automationOf(on: readonly object[]): Promise<string> {
  const bought = { rules: [{ field: 'event:bought', operator: 'performed', value: { atLeast: 1 } }] }
  const nodes = { b1: { type: 'branch', ways: [{ if: bought, to: 'end' }], else: 'end' } }
  const draft = { format: 1, enter: { on, again: { mode: 'every' } }, start: 'b1', nodes }
  const [made] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft) values ($1, 'Replayed', $2) returning id`,
    [workspaceId, JSON.stringify(draft)],
  )
  return made!.id
}

test('simulations that nothing runs any more give way to others, and say why', async () => {
  const id = await automationOf([{ event: 'came' }])
  const begin = () => createSimulation({ sql: pool }, caller, { id, body: {}, byJob: false })
  await rows(`insert into contacts (workspace_id, email) values ($1, 'idle@example.com')`, [workspaceId])
  const first = await begin()
  await begin()
  await assert.rejects(begin(), { statusCode: 409 })
  await rows(
    `update automation_simulations set created_at = now() - interval '1 day', touched_at = now() - interval '24 minutes'`,
  )
  await assert.rejects(begin(), { statusCode: 409 }, 'one that was touched is alive, however old')
  await rows(`update automation_simulations set touched_at = now() - interval '26 minutes'`)
  const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
  await runSimulation({ pool, walk, shouldYield: () => true }, { workspaceId, id: first.id })
  const third = await begin()
  const states = await rows<{ state: string; failure: string | null }>(
    'select state, failure from automation_simulations order by id',
  )
  assert.deepEqual(
    states.map(({ state }) => state),
    ['running', 'failed', 'running'],
    'one that begins anew is touched',
  )
  assert.match(states[1]!.failure!, /Begin another/)
  await rows(`update automation_simulations set state = 'canceled', ended_at = now() where state = 'running'`)
  assert.equal((await readSimulation({ sql: pool }, { workspaceId, automationId: id, id: third.id })).state, 'canceled')
})

test('an automation that is deleted while its draft is read is not found', async () => {
  const id = await automationOf([{ event: 'came' }])
  const deleting = await openTransaction(pool, (tx) =>
    tx.query({ text: 'delete from automations where workspace_id = $1 and id = $2', values: [workspaceId, id] }),
  )
  const asked = assert.rejects(createSimulation({ sql: pool }, caller, { id, body: {}, byJob: false }), {
    statusCode: 404,
  })
  await somebodyWaits(pool)
  await deleting.commit()
  await asked
})

test('whoever did much before the window is replayed all the same; whoever does too much in it is counted', async () => {
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'One', $2) returning id`,
    [workspaceId, JSON.stringify({ rules: [{ field: 'email', operator: '=', value: 'ada@example.com' }] })],
  )
  const id = await automationOf([
    { event: 'came' },
    { schedule: { at: '09:00' }, segment: segment!.id },
    { manual: true },
  ])
  const person = async (
    email: string,
    events: readonly (readonly [name: string, count: number, hoursAgo: number])[],
  ) => {
    const [made] = await rows<{ id: string }>(
      'insert into contacts (workspace_id, email) values ($1, $2) returning id',
      [...[workspaceId, email]],
    )
    for (const [name, count, hoursAgo] of events) {
      await rows(
        `insert into events (workspace_id, id, type, name, subject, contact_id, data, occurred_at, recorded_at)
         select $1, coalesce((select max(id) from events), 0) + n, 'event.recorded', $2, '', $3, '{}', $4, $4 from generate_series(1, $5::int) n`,
        [workspaceId, name, made!.id, new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(), count],
      )
    }
  }
  await person('busy@example.com', [
    ['bought', EVENTS_OF_PERSON_MAX + 1, 30],
    ['came', 1, 2],
  ])
  await person('calm@example.com', [
    ['bought', 1, 30],
    ['came', EVENTS_OF_PERSON_MAX, 2],
  ])
  const replayed = async () => {
    const body = { days: 1 }
    const made = await createSimulation({ sql: pool }, caller, { id, body, byJob: false })
    const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
    await runSimulation({ pool, walk }, { workspaceId, id: made.id })
    return (await readSimulation({ sql: pool }, { workspaceId, automationId: id, id: made.id })).report!
  }
  const first = await replayed()
  assert.deepEqual(
    [first.draft.people, first.draft.entered, first.isPartial, first.peopleCut],
    [2, EVENTS_OF_PERSON_MAX + 1, true, 1],
    'the busy one is counted by its purchases',
  )
  assert.deepEqual(first.notReplayed, ['schedule', 'manual'])
  assert.deepEqual(first.draft.nodes.find(({ node }) => node === 'b1')!.ways, [
    { way: '0', count: EVENTS_OF_PERSON_MAX + 1 },
  ])
})

test('long properties make pages of fewer people, in which everybody is once, and of one person no more than fits is looked at', async () => {
  const on = [{ event: 'wrote', where: [{ property: 'note', operator: 'beginsWith', value: 'x' }] }]
  const id = await automationOf(on)
  const made = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email) select $1, 'writer' || n || '@example.com' from generate_series(1, 9) n returning id`,
    [workspaceId],
  )
  const chars = CHARS_OF_PERSON_MAX / 10 - 1_000
  for (const [n, contact] of made.entries()) {
    await rows(
      `insert into events (workspace_id, id, type, name, subject, contact_id, data, occurred_at, recorded_at)
       select $1, coalesce((select max(id) from events), 0) + n, 'event.recorded', 'wrote', '', $2,
         jsonb_build_object('note', repeat('x', $3)), now() - interval '1 hour', now() - interval '1 hour' from generate_series(1, $4::int) n`,
      [workspaceId, contact.id, chars, n === 0 ? 11 : 10],
    )
  }
  const begun = await createSimulation({ sql: pool }, caller, { id, body: { days: 1 }, byJob: false })
  const pages: number[] = []
  const walk = async (...given: Parameters<typeof walkPeople>) => {
    pages.push(given[1].contacts.length)
    return walkPeople(...given)
  }
  await runSimulation({ pool, walk }, { workspaceId, id: begun.id })
  const report = (await readSimulation({ sql: pool }, { workspaceId, automationId: id, id: begun.id })).report!
  // The other one is the busy one of before.
  assert.deepEqual([report.draft.people, report.draft.entered, report.peopleCut], [9, 90, 2])
  const longest = Math.max(...pages)
  assert.ok(
    pages.length > 1 && longest < CHARS_OF_PAGE_MAX + CHARS_OF_PERSON_MAX,
    `${pages.length} pages, ${longest} characters`,
  )
})

test('one that is canceled between two pages ends there without a report; one whose process dies begins anew and tells all', async () => {
  const id = await automationOf([{ event: 'visited' }])
  const crowd = 1_100
  await rows(
    `with made as (
       insert into contacts (workspace_id, email) select $1, 'crowd' || n || '@example.com' from generate_series(1, $2::int) n returning id)
     insert into events (workspace_id, id, type, name, subject, contact_id, data, occurred_at, recorded_at)
     select $1, (select coalesce(max(id), 0) from events) + row_number() over (order by id), 'event.recorded', 'visited', '', id, '{}',
       now() - interval '1 hour', now() - interval '1 hour' from made`,
    [workspaceId, crowd],
  )
  const begin = () => createSimulation({ sql: pool }, caller, { id, body: { days: 1 }, byJob: false })
  const canceled = await begin()
  const keyOf = (one: { id: string }) => ({ workspaceId, automationId: id, id: one.id })
  let pages = 0
  const canceling = async (...given: Parameters<typeof walkPeople>) => {
    if (++pages === 1) await cancelSimulation({ sql: pool }, caller, keyOf(canceled))
    return walkPeople(...given)
  }
  assert.equal(await runSimulation({ pool, walk: canceling }, keyOf(canceled)), 'done')
  const { state, report } = await readSimulation({ sql: pool }, keyOf(canceled))
  assert.deepEqual([state, report, pages], ['canceled', null, 1])
  await assert.rejects(cancelSimulation({ sql: pool }, caller, keyOf(canceled)), { statusCode: 409 })

  const killed = await begin()
  const dying = async (...given: Parameters<typeof walkPeople>) => {
    if (++pages === 3) throw new Error('the process is gone')
    return walkPeople(...given)
  }
  await assert.rejects(runSimulation({ pool, walk: dying }, keyOf(killed)), /is gone/)
  const halfway = await readSimulation({ sql: pool }, keyOf(killed))
  assert.deepEqual([halfway.state, halfway.report], ['running', null])
  const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
  assert.equal(await runSimulation({ pool, walk }, keyOf(killed)), 'done')
  const told = await readSimulation({ sql: pool }, keyOf(killed))
  assert.deepEqual([told.state, told.report!.draft.people, told.report!.draft.entered], ['done', crowd, crowd])
})

test('mail waits for the end of the quiet hours that the workspace has, and older reports say nothing of that', async () => {
  const cameMs = Date.now() - 30 * HOUR_MS
  const clock = (hours: number) => new Date(cameMs + hours * HOUR_MS).toISOString().slice(11, 16)
  await rows(
    `insert into sending_settings (workspace_id, quiet_from, quiet_until, quiet_zone) values ($1, $2, $3, 'UTC')
     on conflict (workspace_id) do update set quiet_from = $2, quiet_until = $3, quiet_zone = 'UTC'`,
    [workspaceId, clock(-1), clock(2)],
  )
  const id = await automationOf([{ event: 'dozed' }])
  const nodes = { m1: { type: 'email', subject: 'Hi', body: '<p>{{ unsubscribe_url }}</p>', to: 'end' } }
  const draft = { format: 1, enter: { on: [{ event: 'dozed' }] }, start: 'm1', nodes }
  await rows('update automations set draft = $2 where id = $1', [id, JSON.stringify(draft)])
  await rows(
    `with made as (insert into contacts (workspace_id, email) values ($1, 'night@example.com') returning id)
     insert into events (workspace_id, id, type, name, subject, contact_id, data, occurred_at, recorded_at)
     select $1, (select max(id) + 1 from events), 'event.recorded', 'dozed', '', id, '{}', $2, $2 from made`,
    [workspaceId, new Date(cameMs).toISOString()],
  )
  const begun = await createSimulation({ sql: pool }, caller, { id, body: { days: 2 }, byJob: false })
  const key = { workspaceId, automationId: id, id: begun.id }
  const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
  await runSimulation({ pool, walk }, key)
  const { mails } = (await readSimulation({ sql: pool }, key)).report!.draft
  const day = new Date(cameMs + 2 * HOUR_MS).toISOString().slice(0, 10)
  assert.deepEqual(
    [mails.total, mails.days, mails.held],
    [1, [{ day, count: 1 }], [{ reason: 'quiet_hours', count: 1 }]],
  )
  await rows(
    `update automation_simulations set report = (report::jsonb #- '{draft,mails,held}' #- '{draft,mails,waiting}')::json where id = $1`,
    [begun.id],
  )
  const older = (await readSimulation({ sql: pool }, key)).report!.draft.mails
  assert.deepEqual([older.total, older.held, older.waiting], [1, [], 0])
})

test('mail that others have sent has its place under the cap from when it went, also where that was before the window', async () => {
  const agoOf = (hours: number) => new Date(Date.now() - hours * HOUR_MS)
  const made = agoOf(60)
  for (const table of messagePartitions(1_000)) await ensurePartitions(pool, table, made)
  await rows(
    `insert into sending_settings (workspace_id, cap_messages, cap_days, cap_wait_hours) values ($1, 2, 1, 48)
     on conflict (workspace_id) do update set quiet_from = null, quiet_until = null, quiet_zone = null,
       cap_messages = 2, cap_days = 1, cap_wait_hours = 48`,
    [workspaceId],
  )
  const id = await automationOf([{ event: 'left' }])
  const nodes = { m1: { type: 'email', subject: 'Hi', body: '<p>{{ unsubscribe_url }}</p>', to: 'end' } }
  const draft = { format: 1, enter: { on: [{ event: 'left' }] }, start: 'm1', nodes }
  await rows('update automations set draft = $2 where id = $1', [id, JSON.stringify(draft)])
  const [person] = await rows<{ id: string }>(
    `with made as (insert into contacts (workspace_id, email) values ($1, 'reader@example.com') returning id)
     insert into events (workspace_id, id, type, name, subject, contact_id, data, occurred_at, recorded_at)
     select $1, (select max(id) + 1 from events), 'event.recorded', 'left', '', id, '{}', $2, $2 from made returning contact_id as id`,
    [workspaceId, agoOf(20).toISOString()],
  )
  // A broadcast that took its time, and mail of another automation of which nobody knows whether it came; one came to nothing.
  for (const [kind, source, state, hours] of [
    ['broadcast', '900', 'accepted', 30],
    ['automation', '901', 'uncertain', 28],
    ['automation', '902', 'failed', 27],
  ] as const) {
    await rows(
      `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, reason, settled_at, created_at)
       values ($1, 'marketing', $2, $3, $4, 'reader@example.com', $5, $6, $7, $8)`,
      [
        ...[workspaceId, kind, source, person!.id, state, state === 'accepted' ? null : 'x'],
        ...[agoOf(hours).toISOString(), made.toISOString()],
      ],
    )
  }
  const begun = await createSimulation({ sql: pool }, caller, { id, body: { days: 1 }, byJob: false })
  const key = { workspaceId, automationId: id, id: begun.id }
  const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
  await runSimulation({ pool, walk }, key)
  const { mails } = (await readSimulation({ sql: pool }, key)).report!.draft
  // The older place is free again fourteen hours after the event.
  assert.deepEqual([mails.total, mails.waiting, mails.held], [1, 0, [{ reason: 'frequency_cap', count: 1 }]])
})
