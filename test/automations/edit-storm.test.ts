import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { publishWithin } from '../../server/modules/automations/definition/publish-automation.ts'
import { automationForChange, setSwitches } from '../../server/modules/automations/definition/queries.ts'
import type { MoveKey } from '../../server/modules/automations/definition/take-along.ts'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { putEntries } from '../../server/modules/automations/entry/put-entries.ts'
import { placeRuns } from '../../server/modules/automations/run/place-runs.ts'
import { takeStretch } from '../../server/modules/automations/run/take-stretch.ts'
import { readCounts } from '../../server/modules/automations/seeing/counts.ts'
import { findFaults } from '../../server/modules/automations/seeing/find-faults.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { registerGroups, step } from '../../server/platform/outbox/consumer.ts'
import { readThrough } from '../../server/platform/outbox/progress.ts'
import { watched } from '../support/outbox-rows.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { testWorkspace } from '../support/workspace.ts'

/*
 * An automation is published over and over, with moves, while people walk through it: at every sample the sums fit, and in
 * the end everybody has gone an unbroken way from version to version, and out.
 */

/** The long form, by hand: STORM_PEOPLE=100000 STORM_PUBLISHES=50 npm test test/automations/edit-storm.test.ts. */
const PEOPLE = Number(process.env.STORM_PEOPLE ?? 400)
const PUBLISHES = Number(process.env.STORM_PUBLISHES ?? 6)
const seed = seedFrom('STORM_SEED')
const GROUPS = [persistEvent, enrollAutomations]
const NODES = ['a', 'b', 'c', 'd', 'e']

/** Some of the nodes, one behind the other: rests and waits, of a second where nothing else is said. */
function draftOf(random: () => number, seconds = 1): string {
  const ids = NODES.filter(() => random() < 0.6)
  const nodes = ids.map((id, n) => {
    const to = ids[n + 1] ?? 'end'
    const wait = { type: 'wait', for: [{ event: 'never', to: 'end' }], timeout: `PT${seconds}S`, late: to }
    return [id, random() < 0.5 ? wait : { type: 'delay', seconds, to }]
  })
  const enter = { on: [{ manual: true }] }
  return JSON.stringify({ format: 1, enter, start: ids[0] ?? 'end', nodes: Object.fromEntries(nodes) })
}

test(`${PUBLISHES} publishings while ${PEOPLE} people walk lose nobody (STORM_SEED=${seed})`, {
  timeout: 3_600_000,
}, async (t) => {
  const { pool, workspaceId } = await testWorkspace({ connections: 7 })
  const random = seededRandom(seed)
  await registerGroups(pool, GROUPS)
  const key = await automationOf(pool, workspaceId)
  // So long that all are still there when the next one takes them along, however slow the machine.
  const first = await publish(pool, key, { draft: draftOf(() => 0, 3_600), inside: 'stay' })
  assert.equal(first, undefined)
  await enroll(pool, key)
  await queryInScope(pool, ALL_WORKSPACES, RUNNING_LANES)
  let isOver = false
  const moves: MoveKey[] = []
  const turns = [0, 1].map(async (slot) => {
    while (!isOver) await takeTurn(pool, { workspaceId, automationId: key.id, slot })
  })
  // Runs tell of themselves, and no timer is due before the log is read as far.
  const reading = (async () => {
    const deps = watched(pool)
    const progress = GROUPS.map(() => ({ rowsMax: 5_000, attempts: 0 }))
    while (!isOver) for (const [n, group] of GROUPS.entries()) await step(deps, group, progress[n]!)
  })()
  const placing = (async () => {
    while (!isOver || moves.length > 0) {
      const move = moves.shift()
      if (move) await placeRuns(pool, move, new AbortController().signal)
      else await new Promise(setImmediate)
    }
  })()
  const working = Promise.all([...turns, placing, reading])
  let fault: unknown
  working.catch((error: unknown) => {
    fault = error
  })
  const holds = async (when: string) => {
    if (fault !== undefined) throw fault
    assert.equal(await sums(pool), 0, `the sums ${when}`)
  }
  while ((await count(pool, 'select count(*) as n from runs')) < PEOPLE / 2) await holds('while they come in')
  for (let n = 0; n < PUBLISHES; n++) {
    const inside = n === PUBLISHES - 1 ? 'exit' : n === 0 || random() < 0.8 ? 'move' : 'stay'
    // The first one keeps a place for everybody, who can only be moved: nobody's hour is over.
    const move = await publish(pool, key, { draft: draftOf(n === 0 ? () => 0 : random), inside })
    if (move) moves.push(move)
    await holds(`after publishing ${n}`)
    const goal = (await count(pool, STEPS)) + PEOPLE / 2
    while ((await count(pool, STEPS)) < goal && (await count(pool, INSIDE)) > 0) await holds(`behind publishing ${n}`)
    // A later publishing may leave them where they are, for an hour.
    while (n === 0 && (await count(pool, UNMOVED)) > 0) await holds('until all are moved')
  }
  for (let left = Number.NaN; left !== 0; ) {
    left = await count(pool, INSIDE)
    await holds('at the end')
  }
  isOver = true
  await working
  assert.equal(await count(pool, `select count(*) as n from ended_runs where state in ('completed', 'exited')`), PEOPLE)
  assert.equal(await count(pool, BROKEN), 0, 'ways that are broken')
  const { nodes } = await readCounts(pool, key)
  const told = nodes.filter(({ movedIn }) => movedIn !== 0).map((one) => [one.version, one.node, one.movedIn])
  const traced = await queryInScope<{ version: number; node: string; n: number }>(pool, ALL_WORKSPACES, {
    text: MOVED_INTO,
  })
  assert.deepEqual(
    told,
    traced.map(({ version, node, n }) => [version, node, n]),
    'who came into a node by publishing',
  )
  t.diagnostic(`${await count(pool, MOVED)} times somebody came into another version`)
})

/** Turns are taken here, and not by jobs. */
const RUNNING_LANES = { text: `update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1` }
const STEPS = 'select count(*) as n from run_steps'
const UNMOVED = 'select count(*) as n from runs where version = 1'
const MOVED = `select count(*) as n from run_steps where way = 'moved'`
const MOVED_INTO = `select next_version as version, next_node as node, count(*)::int as n from run_steps
  where way = 'moved' and next_node is not null group by 1, 2 order by 1, 2`
const INSIDE = `select (select count(*) from runs) + (select count(*) from run_queue) as n`

/** Steps that do not begin where the one before led, or a way without an end. */
const BROKEN = `select count(*) as n from (
    select s.*, lag(next_node) over way as came_from, lag(next_version) over way as came_in, row_number() over way - 1 as place,
      lead(visit) over way as later from run_steps s window way as (partition by run_id order by visit)) s
  where visit <> place or (visit > 0 and (came_from is distinct from node or came_in is distinct from version))
    or ((next_node is null) <> (later is null))`

type Key = { workspaceId: string; id: string }

async function automationOf(pool: pg.Pool, workspaceId: string): Promise<Key> {
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into automations (workspace_id, name, draft) values ($1, 'Storm', '{}') returning id`,
    values: [workspaceId],
  })
  return { workspaceId, id: row!.id }
}

async function publish(
  pool: pg.Pool,
  key: Key,
  { draft, inside }: { draft: string; inside: 'stay' | 'move' | 'exit' },
): Promise<MoveKey | undefined> {
  return inTransaction(pool, key.workspaceId, async (tx) => {
    const row = (await automationForChange(tx, key))!
    const { nodes } = JSON.parse(draft) as { nodes: object }
    const gone = NODES.filter((node) => !Object.hasOwn(nodes, node))
    const map = Object.fromEntries(gone.map((node) => [node, Object.keys(nodes).at(-1) ?? 'end']))
    const published = await publishWithin(tx, key, {
      row: { ...row, draft, draftChanged: true },
      moving: { inside, map, nodes: null },
    })
    await setSwitches(tx, key, { publishedVersion: published.version, entryOpen: true })
    await tx.query(RUNNING_LANES)
    return published.move
  })
}

async function enroll(pool: pg.Pool, { workspaceId, id }: Key): Promise<void> {
  await queryInScope(pool, workspaceId, {
    text: `insert into contacts (workspace_id, email) select $1, n || '@storm.example' from generate_series(1, $2::int) n`,
    values: [workspaceId, PEOPLE],
  })
  await inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string; now: string }>(
      'select id, clock_timestamp() as now from contacts order by id',
    )
    const wanting = rows.map(({ id: contactId }) => ({ contactId, depth: 0 }))
    await putEntries(tx, { workspaceId, automationId: id }, { wanting, at: rows[0]!.now })
  })
}

async function takeTurn(
  pool: pg.Pool,
  lane: { workspaceId: string; automationId: string; slot: number },
): Promise<void> {
  const times = await readThrough(pool, enrollAutomations.group)
  await takeStretch(pool, { ...lane, turn: '1', jobId: '' }, { times, limit: 100 })
}

async function count(pool: pg.Pool, text: string): Promise<number> {
  const [row] = await queryInScope<{ n: string }>(pool, ALL_WORKSPACES, { text })
  return Number(row!.n)
}

async function sums(pool: pg.Pool): Promise<number> {
  return (await findFaults(pool)).find(({ fault }) => fault === 'sums')!.found
}
