import assert from 'node:assert/strict'
import { microsOf } from '../../server/modules/automations/micros.ts'
import type { Followed } from '../../server/modules/automations/run/model/follow.ts'
import { NAMED_MAX } from '../../server/modules/automations/run/note-notices.ts'
import type { EngineWorld } from './engine-worlds.ts'
import { entryOf } from './interpret-acts.ts'
import { interpretedWays } from './interpret-worlds.ts'
import { STRANGER } from './random-definitions.ts'
import { type Person, tagsAfter } from './random-worlds.ts'
import type { Found, StepRow } from './read-worlds.ts'
import { placeAt } from './sound-acts.ts'
import { type Times, UNTIL } from './world-times.ts'

/** Holds what the engine did in a world to what the interpreter says, for each person, and the sums to all of them. */
export function compareWorld(world: EngineWorld, found: Found, times: Times): { steps: number } {
  const runIds = new Map(
    found.runs.map(({ id, contactId, key, eventId, enteredAt }) => {
      const by = world.begunBy.get(id) ?? String(contactId)
      return [entryOf({ eventId: Number(eventId), at: Number(microsOf(enteredAt)), by, key }), Number(id)]
    }),
  )
  const stories = interpretedWays(world, { events: found.events, runIds }, times)
  const erased = new Set(world.runsOfErased.keys())
  const byRun = Map.groupBy(found.steps, ({ run }) => run)
  const tagsOf = Map.groupBy(found.tags, ({ contactId }) => contactId)
  for (const [place, { person, contactId }] of world.people.entries()) {
    const followed = stories.get(contactId)!
    const runs = modelRuns(followed).map((run) => (erased.has(contactId) ? { ...run, key: '' } : run))
    const ids = new Set(world.runsOfErased.get(contactId))
    const own = found.runs.filter((run) => run.contactId === contactId || ids.has(run.id))
    assert.deepEqual(engineRuns(own, byRun), runs, `the runs of contact ${contactId}`)
    if (placeAt(world.acts, place, UNTIL) !== place) continue
    const tags = (tagsOf.get(contactId) ?? []).map(({ name }) => name).sort()
    assert.deepEqual(tags, [...tagsAfter(person as Person, followed.effects)].sort(), `the tags of ${contactId}`)
  }
  const sums = new Map(found.sums.map(({ key, total }) => [key, Number(total)]))
  assert.deepEqual(sorted(sums), modelSums([...stories.values()]), 'the sums')
  assert.deepEqual(found.hours, [], 'totals that are not the sum of their hours')
  assert.deepEqual(found.quarters, [], 'entries that are not in their quarters')
  const mails = found.mails.map(({ contactId, node, visit }) => `${contactId} ${node} ${visit}`).sort()
  assert.deepEqual(mails, modelMails(stories), 'the mails')
  holdNotices(found, { told: modelNotices(stories), erased })
  assert.deepEqual(found.news.map(({ told }) => told).sort(), modelNews(stories), 'what is told of runs')
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
    state: run.end?.state ?? (run.state === 'parked' ? 'parked' : 'waiting'),
    reason: run.end?.reason ?? null,
    goalAt: run.goalAt,
    variables: run.end === null ? run.variables : null,
    steps: steps.map(({ visit, node, way, next, cameAt, leftAt }) => [visit, node, way, next, cameAt, leftAt]),
  }))
}

function engineRuns(runs: Found['runs'], steps: ReadonlyMap<string, StepRow[]>): ToldRun[] {
  const micros = (moment: string) => Number(microsOf(moment))
  return runs.map(({ id, key, state, reason, goalAt, variables }) => ({
    ...{ key, state, reason, goalAt: goalAt === null ? null : micros(goalAt) },
    variables: variables === null ? null : JSON.parse(variables),
    steps: (steps.get(id) ?? []).map(({ visit, node, way, next, came, left }) => [
      visit,
      node,
      way,
      next,
      micros(came),
      micros(left),
    ]),
  }))
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
function holdNotices(found: Found, { told, erased }: { told: readonly string[]; erased: ReadonlySet<string> }): void {
  const named = found.notices
    .map(({ contactId, node, visit, at }) => `${contactId} ${node} ${visit} ${microsOf(at)}`)
    .sort()
  const byNode = Map.groupBy(told, (one) => one.split(' ')[1]!)
  assert.deepEqual(
    sorted(new Map(found.counted.map(({ node, people }) => [node, Number(people)]))),
    sorted(new Map([...byNode].map(([node, of]) => [node, of.length]))),
    'how many the team is told of',
  )
  // Whoever is erased is counted, and not named.
  const nameable = told.filter((one) => !erased.has(one.split(' ')[0]!))
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
