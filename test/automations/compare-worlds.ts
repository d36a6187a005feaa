import assert from 'node:assert/strict'
import type pg from 'pg'
import { microsOf } from '../../server/modules/automations/micros.ts'
import type { Followed } from '../../server/modules/automations/run/model/follow.ts'
import { NAMED_MAX } from '../../server/modules/automations/run/note-notices.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import type { EngineWorld } from './engine-worlds.ts'
import { type Checks, interpretedWays } from './interpret-worlds.ts'
import { STRANGER } from './random-definitions.ts'
import type { Person } from './random-worlds.ts'

/** Holds what the engine did in a world to what the interpreter says, for each person, and the sums to all of them. */
export async function compareWorld(pool: pg.Pool, world: EngineWorld, checks: Checks): Promise<{ steps: number }> {
  const stories = await interpretedWays(pool, world, checks)
  for (const { person, contactId } of world.people) {
    const followed = stories.get(contactId)!
    const isErased = world.erasedAt.has(contactId)
    const runs = modelRuns(followed).map((run) => (isErased ? { ...run, key: '' } : run))
    assert.deepEqual(await engineRuns(pool, world, contactId), runs, `the runs of contact ${contactId}`)
    if (isErased) continue
    assert.deepEqual(await engineTags(pool, world, contactId), modelTags(person, followed), `the tags of ${contactId}`)
  }
  assert.deepEqual(await engineSums(pool, world), modelSums([...stories.values()]), 'the sums')
  assert.deepEqual(await unequalHours(pool, world), [], 'totals that are not the sum of their hours')
  assert.deepEqual(await unequalEntries(pool, world), [], 'entries that are not in their quarters')
  assert.deepEqual(await engineMails(pool, world), modelMails(stories), 'the mails')
  await holdNotices(pool, world, modelNotices(stories))
  assert.deepEqual(await engineNews(pool, world), modelNews(stories), 'what is told of runs')
  return { steps: [...stories.values()].flatMap((one) => one.stories.flatMap(({ steps }) => steps)).length }
}

type ToldRun = {
  key: string
  state: string
  reason: string | null
  goalAt: number | null
  variables: unknown
  steps: unknown[]
}

function modelRuns({ stories }: Followed): ToldRun[] {
  return stories.map(({ run, steps }) => ({
    key: run.entryKey,
    state: run.end?.state ?? 'waiting',
    reason: run.end?.reason ?? null,
    goalAt: run.goalAt,
    variables: run.end === null ? run.variables : null,
    steps: steps.map(({ visit, node, way, next, cameAt, leftAt }) => [visit, node, way, next, cameAt, leftAt]),
  }))
}

type StepRow = {
  run: string
  visit: number
  node: string
  way: string
  next: string | null
  came: string
  left: string
}
type RunRow = Pick<ToldRun, 'key' | 'state' | 'reason'> & {
  id: string
  goalAt: string | null
  variables: string | null
}

async function engineRuns(
  pool: pg.Pool,
  { workspaceId, automationId, runsOfErased }: EngineWorld,
  contactId: string,
): Promise<ToldRun[]> {
  const values = [workspaceId, automationId, contactId, runsOfErased.get(contactId) ?? []]
  const whose = '(contact_id = $3 or id = any ($4::bigint[]))'
  const runs = await queryInScope<RunRow>(pool, workspaceId, {
    text: `select id, entry_key as key, state, null as reason, goal_at as "goalAt", coalesce(variables, '{}')::text as variables from runs
        where workspace_id = $1 and automation_id = $2 and ${whose}
      union all select id, entry_key, state, reason, goal_at, null from ended_runs
        where workspace_id = $1 and automation_id = $2 and ${whose} order by id`,
    values,
  })
  const steps = await queryInScope<StepRow>(pool, workspaceId, {
    text: `select run_id as run, visit, node, way, next_node as next, came_at as came, left_at as left from run_steps
      where workspace_id = $1 and run_id = any ($2::bigint[]) order by run_id, visit`,
    values: [workspaceId, runs.map(({ id }) => id)],
  })
  const micros = (moment: string) => Number(microsOf(moment))
  return runs.map(({ id, key, state, reason, goalAt, variables }) => ({
    ...{ key, state, reason, goalAt: goalAt === null ? null : micros(goalAt) },
    variables: variables === null ? null : JSON.parse(variables),
    steps: steps
      .filter(({ run }) => run === id)
      .map(({ visit, node, way, next, came, left }) => [visit, node, way, next, micros(came), micros(left)]),
  }))
}

function modelTags({ tags }: Person, { effects }: Followed): string[] {
  const has = new Set(tags)
  for (const effect of effects) {
    if (effect.kind !== 'tag') continue
    for (const name of effect.add) has.add(name as (typeof tags)[number])
    for (const name of effect.remove) has.delete(name as (typeof tags)[number])
  }
  return [...has].sort()
}

async function engineTags(pool: pg.Pool, { workspaceId }: EngineWorld, contactId: string): Promise<string[]> {
  const rows = await queryInScope<{ name: string }>(pool, workspaceId, {
    text: `select t.name from contact_tags c join tags t on t.workspace_id = c.workspace_id and t.id = c.tag_id
      where c.workspace_id = $1 and c.contact_id = $2 order by 1`,
    values: [workspaceId, contactId],
  })
  return rows.map(({ name }) => name).sort()
}

/** Totals by node and kind, as the trigger keeps them. */
function modelSums(all: readonly Followed[]): Record<string, number> {
  const sums = new Map<string, number>()
  const count = (key: string) => sums.set(key, (sums.get(key) ?? 0) + 1)
  for (const { stories, refusals } of all) {
    for (const { reason } of refusals) count(` refused:${reason}`)
    for (const { node, way, next } of stories.flatMap(({ steps }) => steps)) {
      count(`${node} ${next === null ? 'ended' : 'left'}:${way}`)
      if (next !== null) count(`${next} entered`)
    }
  }
  return sorted(sums)
}

async function engineSums(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<Record<string, number>> {
  const rows = await queryInScope<{ key: string; total: string }>(pool, workspaceId, {
    text: `select node || ' ' || kind as key, sum(total) as total from node_totals
      where workspace_id = $1 and automation_id = $2 group by 1`,
    values: [workspaceId, automationId],
  })
  return sorted(new Map(rows.map(({ key, total }) => [key, Number(total)])))
}

function unequalHours(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<object[]> {
  const sums = (of: string) =>
    `select version, node, kind, sum(total) as total from ${of} where workspace_id = $1 and automation_id = $2 group by 1, 2, 3`
  return queryInScope(pool, workspaceId, {
    text: `(${sums('node_totals')} except ${sums('node_hours')}) union all (${sums('node_hours')} except ${sums('node_totals')})`,
    values: [workspaceId, automationId],
  })
}

function unequalEntries(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<object[]> {
  const kept = `select version, quarter, sum(entered) as entered, sum(goals) as goals, sum(value) as value, sum(held_out) as held_out
    from entry_quarters where workspace_id = $1 and automation_id = $2 group by 1, 2 having (sum(entered), sum(held_out)) <> (0, 0)`
  const counted = `select version, date_bin('15 minutes', entered_at, 'epoch'), count(*) filter (where not held),
      count(goal_at) filter (where not held), coalesce(sum(goal_value) filter (where not held), 0), count(*) filter (where held)
    from (
      select version, entered_at, false as held, goal_at, goal_value from runs where workspace_id = $1 and automation_id = $2
      union all select version, entered_at, state = 'held_out', goal_at, goal_value from ended_runs
      where workspace_id = $1 and automation_id = $2) r group by 1, 2`
  return queryInScope(pool, workspaceId, {
    text: `(${kept} except ${counted}) union all (${counted} except ${kept})`,
    values: [workspaceId, automationId],
  })
}

const sorted = (sums: ReadonlyMap<string, number>) =>
  Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)))

/** Mails that were queued, [contact, node, visit]. */
function modelMails(stories: ReadonlyMap<string, Followed>): string[] {
  return [...stories]
    .flatMap(([contactId, { effects }]) =>
      effects.flatMap((one) => (one.kind === 'mail' ? [`${contactId} ${one.node} ${one.visit}`] : [])),
    )
    .sort()
}

/** Those taken back after an exit were queued as well. */
async function engineMails(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<string[]> {
  const rows = await queryInScope<{ contactId: string; node: string; visit: number }>(pool, workspaceId, {
    text: `select m.contact_id as "contactId", r.node, r.visit from run_messages r
      join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.created_at = r.created_at
      where r.workspace_id = $1 and r.automation_id = $2
        and (m.state = 'pending' or m.state = 'skipped' and m.reason = 'run_ended')`,
    values: [workspaceId, automationId],
  })
  return rows.map(({ contactId, node, visit }) => `${contactId} ${node} ${visit}`).sort()
}

/** Whom the team is told of, [contact, node, visit, when]: nobody where none of those it names is a member. */
function modelNotices(stories: ReadonlyMap<string, Followed>): string[] {
  const told = [...stories].flatMap(([contactId, { effects }]) =>
    effects.flatMap((one) => {
      if (one.kind !== 'notify' || one.members?.includes(STRANGER)) return []
      return [`${contactId} ${one.node} ${one.visit} ${one.at}`]
    }),
  )
  return told.sort()
}

/** Holds whom the team is told of to what the model says: everybody is counted, and as many are named as a mail has names for. */
async function holdNotices(
  pool: pg.Pool,
  { workspaceId, automationId, erasedAt }: EngineWorld,
  told: readonly string[],
) {
  const values = [workspaceId, automationId]
  const rows = await queryInScope<{ contactId: string; node: string; visit: number; at: string }>(pool, workspaceId, {
    text: `select contact_id as "contactId", node, visit, came_at as at from automation_notice_people
      where workspace_id = $1 and automation_id = $2`,
    values,
  })
  const counted = await queryInScope<{ node: string; people: string }>(pool, workspaceId, {
    text: `select node, sum(people) as people from automation_notices where workspace_id = $1 and automation_id = $2 group by 1`,
    values,
  })
  const named = rows.map(({ contactId, node, visit, at }) => `${contactId} ${node} ${visit} ${microsOf(at)}`).sort()
  const byNode = Map.groupBy(told, (one) => one.split(' ')[1]!)
  assert.deepEqual(
    sorted(new Map(counted.map(({ node, people }) => [node, Number(people)]))),
    sorted(new Map([...byNode].map(([node, of]) => [node, of.length]))),
    'how many the team is told of',
  )
  // Whoever is erased is counted, and not named.
  const nameable = told.filter((one) => !erasedAt.has(one.split(' ')[0]!))
  const known = new Set(nameable)
  const unknown = named.filter((one) => !known.has(one))
  const isWhole = told.length <= NAMED_MAX
  assert.deepEqual(isWhole ? named : unknown, isWhole ? nameable : [], 'whom the team is told of')
}

/** Events of the system about runs, [contact, name, reason]; nobody is told of those who are held out, nor of an erasure. */
function modelNews(stories: ReadonlyMap<string, Followed>): string[] {
  const newsOf = ({ run: { goalAt, end } }: Followed['stories'][number]) => {
    if (end?.state === 'held_out') return []
    return [
      'entered ',
      ...(goalAt === null ? [] : ['goal_reached ']),
      ...(end === null || end.state === 'erased' ? [] : [`${end.state} ${end.reason ?? ''}`]),
    ]
  }
  return [...stories]
    .flatMap(([contactId, followed]) => followed.stories.flatMap(newsOf).map((one) => `${contactId} automation.${one}`))
    .sort()
}

async function engineNews(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<string[]> {
  const rows = await queryInScope<{ told: string }>(pool, workspaceId, {
    text: `select concat_ws(' ', contact_id, name, coalesce(data ->> 'reason', '')) as told from outbox
      where workspace_id = $1 and type like 'automation.%' and data ->> 'automationId' = $2`,
    values: [workspaceId, automationId],
  })
  return rows.map(({ told }) => told).sort()
}
