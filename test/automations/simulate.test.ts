import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type pg from 'pg'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { momentOf } from '../../server/modules/automations/micros.ts'
import { takeStretch } from '../../server/modules/automations/run/take-stretch.ts'
import { createSimulation, readSimulation } from '../../server/modules/automations/simulate/manage-simulations.ts'
import { readPeople } from '../../server/modules/automations/simulate/read-people.ts'
import { prepareSimulation, runSimulation } from '../../server/modules/automations/simulate/run-simulation.ts'
import type { PageContact } from '../../server/modules/automations/simulate/simulation-plan.ts'
import { walkPeople } from '../../server/modules/automations/simulate/walk-people.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { RANGE_ROWS_MAX, registerGroups, step } from '../../server/platform/outbox/consumer.ts'
import { readThrough } from '../../server/platform/outbox/progress.ts'
import { watched } from '../support/outbox-rows.ts'
import { patienceOf } from '../support/patience.ts'
import { seedFrom } from '../support/seeded-random.ts'
import { callerOf, testWorkspace } from '../support/workspace.ts'
import { type EngineWorld, ensureWorldPartitions, makeWorld } from './engine-worlds.ts'
import { type Person, people } from './random-worlds.ts'
import { BEGIN, UNTIL } from './world-times.ts'

/*
 * The time machine is held to the engine: what really happened to a thousand people, who waited, were sent different ways, left
 * early or were held out, is what a replay of their events says, step by step, mail by mail and goal by goal.
 */

/** The long form, by hand: REPLAY_PEOPLE=20000 npm test test/automations/simulate.test.ts. */
const PEOPLE = Number(process.env.REPLAY_PEOPLE ?? 1_000)
const DAYS = 10
/** Things happen at few moments, so that many of them meet. */
const EVERY_MICROS = 6 * 3_600_000_000
const MAIL = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
const DEFINITION = {
  format: 1,
  defaultZone: 'Europe/Berlin',
  enter: {
    on: [{ event: 'one', where: [{ property: 'v', operator: '<=', value: 2 }] }],
    again: { mode: 'restart', key: 'k' },
    holdout: 500,
  },
  exit: [{ event: 'three', where: [{ property: 'v', operator: '=', value: 3 }], match: { k: 'k' } }],
  goal: { event: 'two', value: 'v', within: 'P2D' },
  start: 'w1',
  nodes: {
    w1: { type: 'wait', for: [{ event: 'two', match: { k: 'k' }, to: 'b1' }], timeout: 'PT7H', late: 'm1' },
    m1: { ...MAIL, to: 't1' },
    t1: { type: 'tag', add: ['red'], to: 'd1' },
    d1: { type: 'delay', days: 1, at: '09:00', to: 'b1' },
    b1: {
      type: 'branch',
      ways: [
        { if: { combinator: 'and', rules: [{ field: 'tag', operator: 'has', value: 'Red' }] }, to: 's1' },
        {
          if: { rules: [{ field: 'event:two', operator: 'performed', value: { atLeast: 2, withinLastDays: 1 } }] },
          to: 'm2',
        },
      ],
      else: 't2',
    },
    t2: { type: 'tag', remove: ['green'], to: 'd2' },
    s1: {
      type: 'split',
      ways: [
        { weight: 4_000, to: 'm2' },
        { weight: 6_000, to: 'd2' },
      ],
    },
    d2: { type: 'delay', hours: 11, to: 'm2' },
    m2: { ...MAIL, subject: 'Once more', to: 'end' },
  },
}

const seed = seedFrom('AUTOMATION_SEED')
const { database, pool: writers } = await testWorkspace({ connections: 4 })
const pool = createPool({ name: 'sql', url: database.url, max: 2, ...patienceOf(true) })

test(`a replay of recorded events says what really happened to everybody (AUTOMATION_SEED=${seed})`, async (t) => {
  t.after(() => pool.end())
  await ensureWorldPartitions(writers)
  await registerGroups(writers, [persistEvent, enrollAutomations])
  const drawn = fc.sample(people, { seed, numRuns: PEOPLE }).flat().slice(0, PEOPLE)
  const world = await makeWorld(writers, {
    json: DEFINITION,
    people: drawn.map((person, n): Person => ({ ...person, id: n + 1 })),
  })
  await queryInScope(writers, world.workspaceId, { text: `update suppressions set created_at = '2025-01-01Z'` })
  await live(world)

  const { workspaceId, automationId } = world
  const caller = callerOf(workspaceId)
  const until = momentOf(BigInt(UNTIL) + 1n)
  const before = await allRows(writers)
  const { id } = await createSimulation({ sql: pool }, caller, {
    id: automationId,
    body: { days: DAYS, until },
    byJob: false,
  })
  const prepared = await inTransaction(pool, workspaceId, (tx) => prepareSimulation(tx, { workspaceId, id }))
  const { asked, plan } = prepared!
  const page = await inTransaction(pool, workspaceId, (tx) => readPeople(tx, asked, { after: '0', limit: PEOPLE * 2 }))
  assert.equal(page.people, PEOPLE)

  const really = await engineRuns(pool, world)
  const broughtTo = await engineBrought(pool, world)
  let runs = 0
  for (const contact of JSON.parse(page.contacts) as PageContact[]) {
    const { paths, draft } = walkPeople(plan, { people: 1, contacts: JSON.stringify([contact]) })
    const told = Object.values(paths).flatMap(({ runs: n, example }) => {
      const { end, steps } = example
      runs += n
      return Array.from({ length: n }, (_, k) =>
        k === 0 ? { end, steps: steps.map(inTime) } : { end, steps: steps.map(untimed) },
      )
    })
    const own = really.get(contact.id) ?? []
    const { mailsByNode: mails, goals, goalValue } = draft
    assert.deepEqual({ mails, goals, goalValue }, broughtTo(contact.id), `what came to ${contact.id}`)
    assert.equal(told.length, own.length, `runs of ${contact.id}`)
    for (const { end, steps } of told) {
      assert.ok(
        own.some(
          (one) => one.end === end && steps.join() === one.steps.map(steps[0]?.includes('@') ? inTime : untimed).join(),
        ),
        `contact ${contact.id} has gone ${steps.join()}, and not ${JSON.stringify(own)}`,
      )
    }
  }
  assert.equal(runs, [...really.values()].flat().length)
  t.diagnostic(`${runs} runs of ${PEOPLE} people`)
  assert.ok(runs > PEOPLE / 2)

  // The same as a whole: the report, in pages, and nothing else is written.
  const walk = async (...given: Parameters<typeof walkPeople>) => walkPeople(...given)
  assert.equal(await runSimulation({ pool, walk }, { workspaceId, id }), 'done')
  const { report, people: seen } = await readSimulation({ sql: pool }, { workspaceId, automationId, id })
  assert.deepEqual(seen, { total: PEOPLE, done: PEOPLE })
  assert.deepEqual(report!.live, report!.draft)
  assert.deepEqual([report!.draft.entered, report!.draft.assumed.decisions], [runs, 0])
  assert.deepEqual(
    report!.draft.nodes.flatMap(({ node, mails }) => (mails > 0 ? [[node, mails]] : [])),
    Object.entries(broughtTo().mails).sort(),
  )
  assert.ok(report!.draft.goals > PEOPLE / 20, `${report!.draft.goals} goals`)
  assert.deepEqual([report!.draft.goals, report!.draft.goalValue], [broughtTo().goals, broughtTo().goalValue])
  assert.deepEqual(report!.compared!.same.people, report!.draft.mails.people)
  assert.equal(report!.traces.length, 10)
  assert.deepEqual(await allRows(writers), before)
})

type Shown = { node: string; way: string; next: string | null; leftAt: number }
const untimed = ({ node, way, next }: Shown) => `${node} ${way} ${next}`
const inTime = (one: Shown) => `${untimed(one)} @${one.leftAt}`

/** Has everything happen at its time, with readers and turns that are there at once. */
async function live({ workspaceId, people: all }: EngineWorld): Promise<void> {
  const clocked = createPool({ name: 'pgx', url: database.url, max: 1, ...patienceOf(true) })
  try {
    const planned = all.flatMap(({ person, contactId }) =>
      person.happenings.map((one) => ({ ...one, at: one.at - ((one.at - BEGIN) % EVERY_MICROS), contactId })),
    )
    const byMoment = Map.groupBy(planned, ({ at }) => at)
    const moments = new Set([...byMoment.keys()])
    for (let at = BEGIN; at <= UNTIL; at += 2 * EVERY_MICROS) moments.add(at)
    moments.add(UNTIL)
    for (const at of [...moments].sort((one, other) => one - other)) {
      await clocked.query(`select set_config('postroom.clock', $1, false)`, [momentOf(BigInt(at))])
      await happen(workspaceId, byMoment.get(at) ?? [])
      while ((await read(clocked)) || (await turns(clocked)));
    }
  } finally {
    await clocked.end()
  }
}

async function happen(
  workspaceId: string,
  events: readonly { at: number; name: string | null; data: unknown; contactId: string }[],
) {
  if (events.length === 0) return
  await queryInScope(writers, workspaceId, {
    text: `insert into outbox (workspace_id, type, name, subject, contact_id, data, occurred_at, recorded_at)
      select $1, 'event.recorded', e ->> 'name', '', (e ->> 'contactId')::int8, (e -> 'data')::json,
        (e ->> 'at')::timestamptz, (e ->> 'at')::timestamptz
      from json_array_elements($2::json) e`,
    values: [workspaceId, JSON.stringify(events.map((one) => ({ ...one, at: momentOf(BigInt(one.at)) })))],
  })
}

const progress = new Map(
  [persistEvent, enrollAutomations].map((group) => [group, { rowsMax: RANGE_ROWS_MAX, attempts: 0 }]),
)

async function read(clocked: pg.Pool): Promise<boolean> {
  const deps = watched(clocked)
  const outcomes = []
  for (const [group, how] of progress) outcomes.push((await step(deps, group, how)).outcome)
  if (deps.parked.length > 0) throw new Error(`parked: ${deps.parked[0]!.error}`)
  return outcomes.some((outcome) => outcome !== 'idle')
}

async function turns(clocked: pg.Pool): Promise<boolean> {
  const times = await readThrough(clocked, enrollAutomations.group)
  const lanes = await queryInScope<Parameters<typeof takeStretch>[1]>(clocked, ALL_WORKSPACES, {
    text: `select l.workspace_id as "workspaceId", l.automation_id as "automationId", l.slot, l.turn from automation_lanes l
      where exists (select from run_queue q where q.workspace_id = l.workspace_id and q.automation_id = l.automation_id
        and q.slot = l.slot and q.due_at <= $1::timestamptz)`,
    values: [times.through],
  })
  for (const lane of lanes) await takeStretch(clocked, lane, { times })
  return lanes.length > 0
}

type Run = { end: string | null; steps: Shown[] }

async function engineRuns(sql: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<Map<string, Run[]>> {
  const rows = await queryInScope<{ contactId: string; end: string | null; steps: string }>(sql, workspaceId, {
    text: `select a.contact_id as "contactId", a.end, json_agg(json_build_object('node', s.node, 'way', s.way, 'next', s.next_node,
        'leftAt', floor(extract(epoch from s.left_at) * 1000000)::int8) order by s.visit)::text as steps
      from (select id, contact_id, null as end from runs where workspace_id = $1 and automation_id = $2
        union all select id, contact_id, coalesce(reason, state) from ended_runs
          where workspace_id = $1 and automation_id = $2) a
      join run_steps s on s.workspace_id = $1 and s.run_id = a.id
      group by a.contact_id, a.id, a.end`,
    values: [workspaceId, automationId],
  })
  return Map.groupBy(
    rows.map(({ contactId, end, steps }) => ({ contactId, end, steps: JSON.parse(steps) as Shown[] })),
    ({ contactId }) => contactId,
  )
}

type Brought = { mails: Record<string, number>; goals: number; goalValue: number }

/**
 * Mails that went into the ledger by node, those taken back by an exit too, with the goals that were reached and their worth: of a contact,
 * or of all.
 */
async function engineBrought(
  sql: pg.Pool,
  { workspaceId, automationId }: EngineWorld,
): Promise<(contactId?: string) => Brought> {
  const rows = await queryInScope<{ contactId: string; node: string | null; value: number }>(sql, workspaceId, {
    text: `select m.contact_id as "contactId", r.node, 0 as value from run_messages r
        join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.created_at = r.created_at
        where r.workspace_id = $1 and r.automation_id = $2
          and (m.state = 'pending' or m.state = 'skipped' and m.reason = 'run_ended')
      union all
      select contact_id, null, coalesce(goal_value, 0)::int from (
        select contact_id, goal_at, goal_value from runs where workspace_id = $1 and automation_id = $2
        union all select contact_id, goal_at, goal_value from ended_runs
          where workspace_id = $1 and automation_id = $2 and state <> 'held_out') g where goal_at is not null`,
    values: [workspaceId, automationId],
  })
  const byContact = Map.groupBy(rows, ({ contactId }) => contactId)
  return (contactId) => {
    const brought: Brought = { mails: {}, goals: 0, goalValue: 0 }
    for (const { node, value } of contactId === undefined ? rows : (byContact.get(contactId) ?? [])) {
      if (node !== null) brought.mails[node] = (brought.mails[node] ?? 0) + 1
      else brought.goals++
      brought.goalValue += value
    }
    return brought
  }
}

/** What is in every table but that of simulations, and in the trail that says who asked for one. */
async function allRows(sql: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname not in ('automation_simulations', 'audit_entries', 'audit_chains', 'row_counts')`,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await queryInScope<{ sum: string }>(sql, ALL_WORKSPACES, {
      text: `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from "${name}" t`,
    })
    found[name] = row!.sum
  }
  return found
}
