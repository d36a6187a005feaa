import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceOf } from '../../../../test/support/patience.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { OCCURRENCE_WAY } from '../definition/listens.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { readCounts } from '../seeing/counts.ts'
import { decideEntries } from './decide-entries.ts'
import { placeComers } from './place-comers.ts'
import { sweepTrigger } from './sweep-trigger.ts'
import { askForSweeps } from './sweep-triggers.ts'

const { database, pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default'])
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('those whose day has come and those of a segment at its time come in once, whatever is swept again', async () => {
  const [clock] = await rows<{ today: string }>(`select date_trunc('day', now(), 'UTC') as today`)
  const today = clock!.today
  const day = (days: number) => new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10)
  const people = [
    ['born', { born: `1980-${day(0).slice(5)}` }],
    ['yearless', { born: `--${day(0).slice(5)}` }],
    ['other', { born: `1980-${day(3).slice(5)}`, renews: day(3) }],
    ['ancient', { born: `0001-${day(0).slice(5)}` }],
    ['renews', { renews: day(7) }],
    ['far', { renews: `${Number(day(7).slice(0, 4)) + 1}${day(7).slice(4)}` }],
  ] as const
  for (const [name, fields] of people) {
    await rows('insert into contacts (workspace_id, email, custom_fields) values ($1, $2, $3)', [
      ...[workspaceId, `${name}@example.com`, JSON.stringify(fields)],
    ])
  }
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'One', $2) returning id`,
    [workspaceId, JSON.stringify({ rules: [{ field: 'email', operator: '=', value: 'other@example.com' }] })],
  )
  const id = await inTransaction(pool, workspaceId, async (tx) => {
    const on = [
      { date: 'born', repeat: 'yearly', at: '00:00' },
      { date: 'renews', days: -7, at: '00:00' },
      { schedule: { at: '00:00' }, segment: segment!.id },
    ]
    const draft = { format: 1, enter: { on }, start: 'end', nodes: {} }
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft, segment_ids) values ($1, 'Dates', $2, array[$3::bigint]) returning id`,
      [workspaceId, JSON.stringify(draft), segment!.id],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    return key.id
  })
  const key = { workspaceId, automationId: id }
  const sweep = async () => {
    await rows(`update automation_sweeps set swept_to = $1::timestamptz - interval '1 minute', next_check_at = now()`, [
      today,
    ])
    await askForSweeps(pool)
    const specs = await rows<{ spec: string }>('select spec from automation_sweeps order by spec')
    for (const { spec } of specs) await sweepTrigger(pool, { ...key, spec })
    return specs
  }
  const came = async () => {
    await placeComers(pool, key, AbortSignal.timeout(60_000))
    return (
      await rows<{ who: string }>(
        `select split_part(c.email, '@', 1) || case when q.due_at = $1::timestamptz then ' ' || q.entry_key else ' late' end as who
         from run_queue q join contacts c on c.id = q.contact_id where q.kind = 'entry' order by 1`,
        [today],
      )
    ).map(({ who }) => who)
  }
  const once = [
    `born born ${day(0)} 0`,
    `other ${segment!.id} ${day(0)}`,
    `renews renews ${day(7)} -7`,
    `yearless born ${day(0)} 0`,
  ]

  assert.equal((await sweep()).length, 3)
  assert.deepEqual(await came(), once)
  const specs = await rows<{ spec: string }>('select spec from automation_sweeps')
  for (const { spec } of specs) await sweepTrigger(pool, { ...key, spec })
  assert.deepEqual(await came(), once, 'nobody twice')

  await rows('update automations set entry_open = false where id = $1', [id])
  await rows('update automation_closings set from_at = $1 where to_at is null', [today])
  await sweep()
  assert.deepEqual(await came(), once, 'nobody whose moment comes while it is closed')
  await rows('update automations set entry_open = true where id = $1', [id])
  await rows('delete from automation_closings')

  await rows(
    `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"1"}]}' where id = $1`,
    [segment!.id],
  )
  await sweep()
  const { troubles } = await readCounts(pool, { workspaceId, id })
  assert.equal(troubles.length, 1)
  assert.match(troubles[0]!, /^Nobody comes in by the schedule of segment/)
})

test('an occurrence that has brought somebody in brings them in no more, whatever the mode; what comes by hand does', async () => {
  const [ada] = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email) values ($1, 'ada@example.com') returning id`,
    [workspaceId],
  )
  const [automation] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft, entry_open, published_version) values ($1, 'Again', '{}', true, 1) returning id`,
    [workspaceId],
  )
  const on = [
    { date: 'born', repeat: 'yearly', days: -7, at: '15:00', leapDay: 'feb28' },
    { schedule: { at: '15:00', on: [], day: null }, segment: '42' },
  ]
  const now = new Date().toISOString()
  const enters = async (mode: string, entryKey: string | null, { triggers = on as object[], way = 0 } = {}) => {
    const again = { mode, key: null, gap: null }
    const definition = { enter: { on: triggers, if: null, again, holdout: 0 } } as never
    const deciding = {
      ...{ workspaceId, automationId: automation!.id, definition, now },
      ...{ liveKeysOf: () => [], ruleHolds: async () => new Set<string>(), gapEnd: () => now },
    }
    const wanting = { contactId: ada!.id, position: '-1', dueAt: now, depth: 0, entryKey, way }
    const [decision] = await inTransaction(pool, workspaceId, (tx) => decideEntries(tx, deciding, [wanting]))
    const { verdict } = decision!
    return verdict.entered ? 'enters' : verdict.refusal
  }
  const known = ['born 2026-11-30 -7', '42 2026-11-23', '42 2026-11-23 15:00', 'hand 2026-11-23', '']
  for (const key of known) {
    await rows(
      `insert into enrollments (workspace_id, automation_id, contact_id, entry_key, entries, entered_at)
       values ($1, $2, $3, $4, 1, now())`,
      [workspaceId, automation!.id, ada!.id, key],
    )
  }
  for (const mode of ['every', 'restart', 'after_end', 'gap', 'once']) {
    const byHand = mode === 'once' ? 'mode' : 'enters'
    const said = await Promise.all(known.map((key) => enters(mode, key === '' ? null : key)))
    assert.deepEqual(said, ['mode', 'mode', 'mode', byHand, byHand], mode)
    assert.equal(await enters(mode, 'born 2027-11-30 -7'), 'enters', 'the next year')
    const found = { triggers: [], way: OCCURRENCE_WAY }
    assert.equal(await enters(mode, known[0]!, found), 'mode', `${mode}, after an edit that took the trigger out`)
  }
})

test('what an edited trigger owes until its edit comes still, and those of a stopped automation are forgotten', async () => {
  await rows('delete from automation_comers')
  const [ada] = await rows<{ id: string }>(
    `insert into contacts (workspace_id, email, time_zone, custom_fields) values ($1, 'late@example.com', 'UTC', $2) returning id`,
    [workspaceId, JSON.stringify({ ends: new Date().toISOString().slice(0, 10) })],
  )
  const [made] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft) values ($1, 'Edited', '{}') returning id`,
    [workspaceId],
  )
  const automationId = made!.id
  const publish = (on: object[]) =>
    inTransaction(pool, workspaceId, async (tx) => {
      const draft = { format: 1, enter: { on }, start: 'end', nodes: {} }
      await tx.query('update automations set draft = $2, draft_changed = true where id = $1', [
        ...[automationId, JSON.stringify(draft)],
      ])
      const key = { workspaceId, id: automationId }
      const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
      await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    })
  const specs = () =>
    rows<{ spec: string; ended: boolean }>(
      'select spec, ends_at is not null as ended from automation_sweeps where automation_id = $1 order by ended',
      [automationId],
    )
  const sweepAll = async () => {
    for (const { spec } of await specs()) await sweepTrigger(pool, { workspaceId, automationId, spec })
    return rows<{ who: string[] }>(
      'delete from automation_comers where automation_id = $1 returning contact_ids::text[] as who',
      [automationId],
    )
  }
  const date = (at: string) => ({ date: 'ends', at })
  await publish([date('00:00')])
  await rows(`update automation_sweeps set swept_to = now() - interval '25 hours' where automation_id = $1`, [
    automationId,
  ])
  await publish([date('00:01'), { manual: true }])
  assert.deepEqual(
    (await specs()).map(({ ended }) => ended),
    [false, true],
  )
  assert.deepEqual(await sweepAll(), [{ who: [ada!.id] }], 'what was due before the edit')
  assert.deepEqual(
    (await specs()).map(({ ended }) => ended),
    [false],
  )
  assert.deepEqual(await sweepAll(), [])

  await publish([{ manual: true }])
  assert.deepEqual(await specs(), [], 'a trigger that is gone owes nothing')
  await publish([date('00:00')])
  await rows('update automations set stopped_at = now(), entry_open = false where id = $1', [automationId])
  await sweepAll()
  assert.deepEqual(await specs(), [])
})

test('schedules of a segment have a key for each where a day has several', async () => {
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'Ada', $2) returning id`,
    [workspaceId, JSON.stringify({ rules: [{ field: 'email', operator: '=', value: 'ada@example.com' }] })],
  )
  const [automation] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft, entry_open, published_version) values ($1, 'Daily', '{}', true, 1)
     returning id`,
    [workspaceId],
  )
  const automationId = automation!.id
  const today = new Date().toISOString().slice(0, 10)
  const spec = (at: string, days: readonly string[] = []) =>
    JSON.stringify({ schedule: { at, on: days, day: null }, segment: segment!.id, zone: 'UTC' })
  const keysBy = async (...specs: string[]) => {
    await rows('delete from automation_sweeps where automation_id = $1', [automationId])
    for (const one of specs) {
      await rows(
        `insert into automation_sweeps (workspace_id, automation_id, spec, swept_to)
         values ($1, $2, $3, $4::timestamptz - interval '1 minute')`,
        [workspaceId, automationId, one, `${today}T00:00:00Z`],
      )
    }
    await sweepTrigger(pool, { workspaceId, automationId, spec: specs[0]! })
    const found = await rows<{ key: string }>(
      'delete from automation_comers where automation_id = $1 returning entry_key as key',
      [automationId],
    )
    return found.map(({ key }) => key.slice(segment!.id.length + 1))
  }
  const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(today).getUTCDay()]!
  const another = weekday === 'mon' ? 'tue' : 'mon'
  assert.deepEqual(await keysBy(spec('00:00')), [today])
  assert.deepEqual(await keysBy(spec('00:00'), spec('23:59', [another])), [today])
  assert.deepEqual(await keysBy(spec('00:00'), spec('23:59', [weekday])), [`${today} 00:00`])
})

test('dates go by the clock of automations, on which a version ends where the next begins', async () => {
  const clocked = createPool({ name: 'sql', url: database.url, max: 1, ...patienceOf(true) })
  const [made] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft) values ($1, 'Clocked', '{}') returning id`,
    [workspaceId],
  )
  const key = { workspaceId, id: made!.id }
  await rows('insert into contacts (workspace_id, email, custom_fields) values ($1, $2, $3)', [
    ...[workspaceId, 'past@example.com', JSON.stringify({ began: '2021-05-04' })],
  ])
  const setClock = (clock: string) => clocked.query(`select set_config('postroom.clock', $1, false)`, [clock])
  const publish = (at: string) =>
    inTransaction(clocked, workspaceId, async (tx) => {
      const draft = { format: 1, defaultZone: 'UTC', enter: { on: [{ date: 'began', at }] }, start: 'end', nodes: {} }
      const values = [key.id, JSON.stringify(draft)]
      await tx.query('update automations set draft = $2, draft_changed = true where id = $1', values)
      const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
      await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    })
  const sweepAll = async () => {
    const specs = await rows<{ spec: string }>('select spec from automation_sweeps where automation_id = $1', [key.id])
    for (const { spec } of specs) await sweepTrigger(clocked, { workspaceId, automationId: key.id, spec })
    const came = await rows<{ at: Date }>(
      'delete from automation_comers where automation_id = $1 returning begins_at as at',
      [key.id],
    )
    return came.map(({ at }) => new Date(at).toISOString())
  }
  try {
    await setClock('2021-05-04T08:00:00Z')
    await publish('09:00')
    assert.deepEqual(await sweepAll(), [], 'too early')
    await setClock('2021-05-04T09:30:00Z')
    await publish('10:00')
    const [bounds] = await rows<object>(
      `select max(ends_at) = max(swept_to) as "isWhole" from automation_sweeps where automation_id = $1`,
      [key.id],
    )
    assert.deepEqual(bounds, { isWhole: true })
    assert.deepEqual(await sweepAll(), ['2021-05-04T09:00:00.000Z'], 'of the older version')
    await setClock('2021-05-05T00:00:00Z')
    assert.deepEqual(await sweepAll(), ['2021-05-04T10:00:00.000Z'])
  } finally {
    await clocked.end()
  }
})
