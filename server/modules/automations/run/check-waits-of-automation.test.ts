import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, automationWorld } from '../../../../test/support/automation-by-hand.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { putEntries } from '../entry/put-entries.ts'
import { findFaults } from '../seeing/find-faults.ts'
import { askForChecks } from './check-waits.ts'
import { checkWaitsOfAutomation } from './check-waits-of-automation.ts'
import { takeStretch } from './take-stretch.ts'

/** The clock of turns is handed in; that of checks is the database's. */
const BEGAN_MS = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000

const { pool, workspaceId, rows } = await automationWorld()

test('a wait ends when its rule holds: on coming, when it is asked, or at its end', async () => {
  const has = (value: string) => ({ rules: [{ field: 'tag', operator: 'has', value }] })
  const wait = {
    ...{ type: 'wait', timeout: 'PT3H', late: 'late' },
    for: [
      { event: 'paid', to: 'end' },
      { if: has('blue'), to: 'blue' },
      { if: has('red'), to: 'red' },
    ],
  }
  const end = { type: 'end' }
  const key = await automation({ wait, blue: end, red: end, late: end })
  const [has1, later, both, lost, atEnd, never] = await enroll(key, 6)
  await tag('red', [has1])
  await turns(key, 1)
  assert.deepEqual(await left(), [[has1, '2', at(0)]], 'it held when they came')

  await tag('red', [later, both, lost])
  await tag('blue', [both])
  const waits = await waitsOf(key)
  await check(key)
  assert.equal((await signals()).length, 3)
  await check(key)
  assert.equal((await signals()).length, 3, 'one signal each, however often they are asked')
  await rows('delete from contact_tags where contact_id = $1', [lost])
  await turns(key, 120)
  const ways = await left()
  assert.deepEqual(
    ways.map(([contact, way]) => [contact, way]),
    [
      [has1, '2'],
      [later, '2'],
      [both, '1'],
    ],
    'whom it holds for no more waits on',
  )
  assert.ok(
    ways.slice(1).every(([, , leftAt]) => leftAt > at(59)),
    'as of when they were asked',
  )
  assert.ok((await waitsOf(key))! > waits!)

  await tag('blue', [atEnd])
  await turns(key, 181)
  assert.deepEqual((await left()).slice(3), [
    [lost, 'late', at(180)],
    [atEnd, '1', at(180)],
    [never, 'late', at(180)],
  ])
  await rows('update automations set stopped_at = now(), entry_open = false')
  await check(key)
  assert.equal(await waitsOf(key), undefined, 'nobody can wait there any more')
})

test('a paused automation asks nobody and is not forgotten, though its version in force asks for nothing', async () => {
  const wait = {
    ...{ type: 'wait', timeout: 'PT3H', late: 'end' },
    for: [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'green' }] }, to: 'end' }],
  }
  const key = await automation({ wait })
  const [somebody] = await enroll(key, 1)
  await turns(key, 1)
  await publish(key, { wait: { type: 'delay', days: 1, to: 'end' } })
  await tag('green', [somebody])
  await rows('update automations set paused_at = now() where id = $1', [key.automationId])
  await check(key)
  assert.deepEqual([(await signals()).length, (await waitsOf(key)) === undefined], [0, false])
  await rows('update automations set paused_at = null where id = $1', [key.automationId])
  await check(key)
  assert.equal((await signals()).length, 1)
  await turns(key, 120)
  await check(key)
  assert.equal(await waitsOf(key), undefined)
})

test('a date that is moved up or away while somebody waits for it is heeded', async () => {
  const wait = {
    ...{ type: 'wait', timeout: 'PT4H', late: 'end' },
    for: [{ date: 'renews', minutes: -10, to: 'end' }],
  }
  const key = await automation({ wait })
  const [kept, up, away] = await enroll(key, 3)
  const renews = (minute: number, of: readonly (string | undefined)[]) =>
    rows(`update contacts set custom_fields = jsonb_build_object('renews', $1::text) where id = any ($2::bigint[])`, [
      ...[at(minute), of],
    ])
  await renews(130, [kept, up, away])
  await turns(key, 1)
  await renews(100, [up])
  await renews(500, [away])
  await check(key)
  assert.equal((await signals()).length, 1, 'a later one is seen when its timer comes')
  await turns(key, 300)
  const ways = (await left()).filter(([contact]) => [kept, up, away].includes(contact))
  assert.deepEqual(ways, [
    [up, '0', at(90)],
    [kept, '0', at(120)],
    [away, 'late', at(240)],
  ])
})

test('a rule that cannot be asked any more keeps nobody else from being asked', async () => {
  const until = (rule: object) => ({
    wait: { type: 'wait', timeout: 'PT4H', late: 'end', for: [{ if: { rules: [rule] }, to: 'end' }] },
  })
  await rows(
    `insert into custom_fields (workspace_id, key, name, type, declared) values ($1, 'plan', 'Plan', 'string', true)`,
    [workspaceId],
  )
  const key = await automation(until({ field: 'custom:plan', operator: '=', value: 'pro' }))
  await enroll(key, 1)
  await turns(key, 1)
  await publish(key, until({ field: 'tag', operator: 'has', value: 'violet' }))
  const sound = await enroll(key, 1, 'sound')
  await turns(key, 1)
  await tag('violet', sound)
  await rows(`update custom_fields set type = 'number' where key = 'plan'`)
  await check(key)
  assert.deepEqual(await askedOf(key), sound)
  assert.match((await errorOf(key)) ?? '', /number/)
  await rows(
    `update automation_waits set due_at = now() - interval '1 hour', next_check_at = now() where automation_id = $1`,
    [key.automationId],
  )
  await askForChecks(pool)
  assert.equal(await unswept(), 1, 'to be asked for is not to be asked')
  await check(key)
  assert.equal(await unswept(), 1, 'some were not asked')
  await rows(`update custom_fields set type = 'string' where key = 'plan'`)
  await check(key)
  assert.equal(await errorOf(key), null)
  assert.equal(await unswept(), 0)
})

test('somebody who takes too long to be asked keeps nobody behind them from being asked', async () => {
  const wait = {
    ...{ type: 'wait', timeout: 'PT4H', late: 'end' },
    for: [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'orange' }] }, to: 'end' }],
  }
  const key = await automation({ wait })
  const [first, slow, last] = await enroll(key, 3)
  await turns(key, 1)
  await tag('orange', [first, slow, last])
  const gate = Promise.withResolvers<void>()
  const taken = Promise.withResolvers<void>()
  const holding = inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(
      `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, visit, due_at)
       select workspace_id, automation_id, contact_id % 2, contact_id, id, 'wait', 9223372036854775807, visit, now()
       from runs where automation_id = $1 and contact_id = $2`,
      [key.automationId, slow],
    )
    taken.resolve()
    await gate.promise
    await tx.query('delete from run_queue where automation_id = $1 and contact_id = $2 and kind = $3', [
      ...[key.automationId, slow, 'wait'],
    ])
  })
  await Promise.race([taken.promise, holding])
  try {
    await checkWaitsOfAutomation(pool, key, new AbortController().signal, { chunk: 1, msMax: 2_500 })
  } finally {
    gate.resolve()
    await holding
  }
  assert.deepEqual(await askedOf(key), [first, last])
  assert.match((await errorOf(key)) ?? '', /takes too long/)
  await check(key)
  assert.deepEqual(await askedOf(key), [first, slow, last])
  assert.equal(await errorOf(key), null)
})

test('somebody who came in while all were asked is asked next, though nobody can come to wait any more', async () => {
  const holds = { rules: [{ field: 'tag', operator: 'has', value: 'amber' }] }
  const key = await automation({
    wait: { type: 'wait', timeout: 'PT3H', late: 'end', for: [{ if: holds, to: 'end' }] },
  })
  const [somebody] = await enroll(key, 1)
  const publishing = await pool.connect()
  try {
    await publishing.query(`begin; set local postroom.workspace = '*'`)
    // As the end of a turn and a publishing that come between the last page and the end of the job.
    await publishing.query('select from automations where id = $1 for update', [key.automationId])
    const checking = check(key)
    await eventually('the job has seen nobody and waits for the publishing', async () => {
      const waiting =
        await rows(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%published_version as version%'
        and datname = current_database()`)
      return waiting.length === 1
    })
    await publishing.query(
      `insert into runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, node, visit, state,
         at, at_position, depth)
       select $1, nextval('run_id'), now(), $2, 1, $3, '', now(), 'wait', 1, 'waiting', now(), 0, 0`,
      [workspaceId, key.automationId, somebody],
    )
    const rest = { wait: { type: 'delay', days: 1, to: 'end' } }
    const definition = { format: 1, enter: { on: [{ manual: true }] }, start: 'wait', nodes: rest }
    await publishing.query(
      `with v as (insert into automation_versions (workspace_id, automation_id, version, definition, written)
         values ($1, $2, 2, $3, $3))
       update automations set published_version = 2 where id = $2`,
      [workspaceId, key.automationId, JSON.stringify(definition)],
    )
    await publishing.query('commit')
    await checking
  } finally {
    publishing.release()
  }
  assert.notEqual(await waitsOf(key), undefined, 'somebody waits for a rule to hold')
  await tag('amber', [somebody])
  await check(key)
  assert.deepEqual(await askedOf(key), [somebody])
})

type Key = { workspaceId: string; automationId: string }

const draftOf = (nodes: object) => ({ format: 1, enter: { on: [{ manual: true }] }, start: 'wait', nodes })
const automation = (nodes: object) => automationByHand(pool, workspaceId, draftOf(nodes))

async function publish({ automationId: id }: Key, nodes: object): Promise<void> {
  await inTransaction(pool, workspaceId, async (tx) => {
    const values = [id, JSON.stringify(draftOf(nodes))]
    await tx.query('update automations set draft = $2, draft_changed = true where id = $1', values)
    const key = { workspaceId, id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
  })
}

/** Puts people in at the beginning; answers their ids. */
async function enroll(key: Key, count: number, name = 'waits'): Promise<string[]> {
  const made = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email) select $1, $4 || $2 || '.' || n || '@example.com'
     from generate_series(1, $3::int) n returning id`,
    [workspaceId, key.automationId, count, name],
  )
  const wanting = made.map(({ id }) => ({ contactId: id, depth: 0 }))
  await inTransaction(pool, workspaceId, (tx) => putEntries(tx, key, { wanting, at: at(0) }))
  return made.map(({ id }) => id)
}

async function tag(name: string, contactIds: readonly (string | undefined)[]): Promise<void> {
  await rows(
    `with t as (insert into tags (workspace_id, name) values ($1, $2) on conflict (workspace_id, folded_name) do update set name = excluded.name
       returning id)
     insert into contact_tags (workspace_id, tag_id, contact_id) select $1, t.id, unnest($3::bigint[]) from t`,
    [workspaceId, name, contactIds],
  )
}

/** Takes what is due by a minute, until nothing is. */
async function turns(key: Key, minute: number): Promise<void> {
  const times = { clock: at(minute), through: at(minute) }
  for (const slot of [0, 1]) {
    for (let taken = 1; taken > 0; ) {
      taken = (await takeStretch(pool, { ...key, slot, turn: '1', jobId: '' }, { times })).rows
    }
  }
}

const check = (key: Key) => checkWaitsOfAutomation(pool, key, new AbortController().signal)
const unswept = async () => (await findFaults(pool)).find(({ fault }) => fault === 'unswept')?.found
const signals = () => rows('select from run_queue where way = -1')

async function askedOf({ automationId }: Key): Promise<string[]> {
  const found = await rows<{ contact: string }>(
    'select contact_id as contact from run_queue where automation_id = $1 and way = -1 order by contact_id',
    [automationId],
  )
  return found.map(({ contact }) => contact)
}

async function errorOf({ automationId }: Key): Promise<string | null | undefined> {
  const [row] = await rows<{ error: string | null }>('select error from automation_waits where automation_id = $1', [
    automationId,
  ])
  return row?.error
}

async function waitsOf({ automationId }: Key): Promise<string | undefined> {
  const [row] = await rows<{ next: string }>(
    'select next_check_at::text as next from automation_waits where automation_id = $1',
    [automationId],
  )
  return row?.next
}

/** People who have left the wait, each with the way and when. */
async function left(): Promise<[string, string, string][]> {
  const found = await rows<{ contact: string; way: string; at: string }>(
    `select r.contact_id as contact, s.way, s.left_at as at from run_steps s join ended_runs r on r.id = s.run_id
     where s.node = 'wait' order by s.left_at, r.contact_id`,
  )
  return found.map(({ contact, way, at: leftAt }) => [contact, way, new Date(leftAt).toISOString()])
}

/** A minute since the beginning. */
function at(minute: number): string {
  return new Date(BEGAN_MS + minute * 60_000).toISOString()
}
