import assert from 'node:assert/strict'
import { microsOf } from '../../server/modules/automations/micros.ts'
import type { Followed, Story } from '../../server/modules/automations/run/model/follow.ts'
import { NAMED_MAX } from '../../server/modules/automations/run/note-notices.ts'
import { type EngineWorld, placeOfAddress } from './engine-worlds.ts'
import { entryOf } from './interpret-acts.ts'
import { interpretedWays } from './interpret-worlds.ts'
import { STRANGER } from './random-definitions.ts'
import { fieldAfter, type Person, tagsAfter } from './random-worlds.ts'
import { type Found, type LedgerRow, placeOfLeading, type QueueRow, type StepRow } from './read-worlds.ts'
import { type Acts, placeAt } from './sound-acts.ts'
import { type Times, UNTIL } from './world-times.ts'

/** Holds what the engine did in a world to what the interpreter says, for each person, and the sums to all of them. */
export function compareWorld(world: EngineWorld, found: Found, times: Times): { steps: number; inside: number } {
  const begun = Map.groupBy(found.runs, ({ id, contactId, key, eventId, enteredAt }) => {
    const by = world.begunBy.get(id) ?? String(contactId)
    return entryOf({ eventId: Number(eventId), at: Number(microsOf(enteredAt)), by, key })
  })
  const runIds = new Map([...begun].map(([entry, runs]) => [entry, runs.map(({ id }) => Number(id))]))
  const stories = interpretedWays(world, { events: found.events, leadings: found.leadings, runIds }, times)
  const erased = new Set(world.runsOfErased.keys())
  const byRun = Map.groupBy(found.steps, ({ run }) => run)
  // What the last turns have told the log comes after all else.
  const queue = found.queue.filter(({ kind, due }) => kind === 'timer' || Number(microsOf(due)) <= UNTIL)
  const byQueue = Map.groupBy(queue, ({ run }) => run)
  const tagsOf = Map.groupBy(found.tags, ({ contactId }) => contactId)
  for (const [place, { person, contactId }] of world.people.entries()) {
    const followed = stories.get(contactId)!
    const runs = modelRuns(followed).map((run) => (erased.has(contactId) ? { ...run, key: '' } : run))
    const ids = new Set(world.runsOfErased.get(contactId))
    const own = found.runs.filter((run) => run.contactId === contactId || ids.has(run.id))
    assert.deepEqual(engineRuns(own, byRun), runs, `the runs of contact ${contactId}`)
    if (placeAt(world.acts, place, UNTIL) !== place) continue
    holdQueue(
      own.map(({ id }) => byQueue.get(id) ?? []),
      followed,
    )
    if (!erased.has(contactId)) {
      assert.deepEqual(
        found.ledger.filter((row) => row.contactId === contactId).map(entryTold),
        modelLedger(followed),
        `the entries of contact ${contactId}`,
      )
    }
    const tags = (tagsOf.get(contactId) ?? []).map(({ name }) => name).sort()
    assert.deepEqual(tags, [...tagsAfter(person as Person, followed.effects)].sort(), `the tags of ${contactId}`)
    if (erased.has(contactId)) continue
    const fieldOf = (key: string) => fieldAfter(person as Person, followed.effects, key) ?? null
    const fields = { day: fieldOf('day'), level: fieldOf('level') }
    const kept = found.fields.find((one) => one.contactId === contactId)!
    assert.deepEqual(JSON.parse(kept.fields), fields, `fields of ${contactId}`)
  }
  assert.deepEqual(
    queue.filter(({ run }) => !found.runs.some(({ id }) => id === run)),
    [],
    'what waits for no run',
  )
  const sums = new Map(found.sums.map(({ key, total }) => [key, Number(total)]))
  assert.deepEqual(sorted(sums), modelSums([...stories.values()]), 'the sums')
  assert.deepEqual(found.hours, [], 'totals that are not the sum of their hours')
  assert.deepEqual(found.quarters, [], 'entries that are not in their quarters')
  const mails = found.mails.map(({ contactId, node, visit }) => `${contactId} ${node} ${visit}`).sort()
  assert.deepEqual(mails, modelMails(stories), 'the mails')
  holdNotices(found, { told: modelNotices(stories), erased })
  assert.deepEqual(
    found.calls
      .map(
        ({ contactId, node, visit, endpoint, properties }) =>
          `${contactId} ${node} ${visit} ${endpoint} ${canonical(JSON.parse(properties))}`,
      )
      .sort(),
    modelCalls(stories),
    'calls of endpoints',
  )
  assert.deepEqual(emittedTold(world, found), modelEmits(stories, found), 'events that are recorded')
  assert.deepEqual(wrongDepths(found), [], 'how many automations have led to what runs have brought about')
  assert.deepEqual(leadingsTold(world, found), modelLeadings(stories), 'who is to come in or to leave')
  assert.deepEqual(found.news.map(({ told }) => told).sort(), modelNews(stories), 'what is told of runs')
  const all = [...stories.values()].flatMap((one) => one.stories)
  const inside = times.moments.flatMap((at) => all.filter((story) => isInsideAt(story, at))).length
  return { steps: all.flatMap(({ steps }) => steps).length, inside }
}

/** Whether somebody was inside when something was done to the automation or to its people. */
const isInsideAt = ({ run, steps }: Story, at: number) =>
  run.enteredAt <= at && (run.end === null || steps.at(-1)!.leftAt > at)

type ToldRun = {
  key: string
  state: string
  reason: string | null
  goalAt: number | null
  goalValue: unknown
  node: string
  visit: number
  variables: unknown
  steps: unknown[]
}

function modelRuns({ stories }: Followed): ToldRun[] {
  return stories.map(({ run, steps }) => ({
    key: run.entryKey,
    state: run.end?.state ?? (run.state === 'parked' ? 'parked' : 'waiting'),
    reason: run.end?.reason ?? null,
    goalAt: run.goalAt,
    goalValue: run.goalValue,
    ...{ node: run.node, visit: run.visit },
    variables: run.end === null ? run.variables : null,
    steps: steps.map(({ visit, node, way, next, cameAt, leftAt }) => [visit, node, way, next, cameAt, leftAt]),
  }))
}

function engineRuns(runs: Found['runs'], steps: ReadonlyMap<string, StepRow[]>): ToldRun[] {
  const micros = (moment: string) => Number(microsOf(moment))
  return runs.map(({ id, key, state, reason, goalAt, goalValue, node: at, visit: n, variables }) => ({
    ...{ key, state, reason, goalAt: goalAt === null ? null : micros(goalAt), node: at, visit: n },
    goalValue: goalValue === null ? null : Number(goalValue),
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

type ToldEntry = {
  key: string
  entries: number
  enteredAt: number | null
  refusals: number
  refusal: { at: number; reason: string } | null
}

function entryTold({ key, entries, enteredAt, refusals, refusedAt, refusal }: LedgerRow): ToldEntry {
  const micros = (moment: string) => Number(microsOf(moment))
  return {
    ...{ key, entries, enteredAt: enteredAt === null ? null : micros(enteredAt), refusals },
    refusal: refusedAt === null ? null : { at: micros(refusedAt), reason: refusal! },
  }
}

/** By each key how often somebody has come in and was refused, and how both were the last time. */
function modelLedger({ ledger, refusals }: Followed): ToldEntry[] {
  const keys = new Set([...ledger.keys(), ...refusals.map(({ entryKey }) => entryKey)])
  return [...keys].sort().map((key) => {
    const refused = refusals.filter(({ entryKey }) => entryKey === key)
    const { entries, enteredAt } = ledger.get(key) ?? { entries: 0, enteredAt: null }
    const last = refused.at(-1)
    const refusal = last === undefined ? null : { at: last.at, reason: last.reason }
    return { key, entries, enteredAt, refusals: refused.length, refusal }
  })
}

/** What waits for runs at the end: a timer of each that rests, and nothing else; a pause that is over may have left it too early. */
function holdQueue(queued: readonly QueueRow[][], { stories }: Followed): void {
  for (const [n, { run }] of stories.entries()) {
    const told = queued[n]!.map(({ kind, looks }) => `${kind}${looks ? ' that looks' : ''}`)
    assert.deepEqual(told, run.state === 'waiting' ? ['timer'] : [], `what waits for ${run.entryKey} at ${run.node}`)
    const [timer] = queued[n]!.map(({ due }) => Number(microsOf(due)))
    if (timer !== undefined) assert.ok(timer > UNTIL && timer <= run.dueAt!, `a timer at ${timer}, not at ${run.dueAt}`)
  }
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

/** Calls of endpoints, [contact, node, visit, endpoint, properties]. */
function modelCalls(stories: ReadonlyMap<string, Followed>): string[] {
  return [...stories]
    .flatMap(([contactId, { effects }]) =>
      effects.flatMap((one) =>
        one.kind === 'call'
          ? [`${contactId} ${one.node} ${one.visit} ${one.endpoint} ${canonical(one.properties)}`]
          : [],
      ),
    )
    .sort()
}

/** Events that steps record, [contact, name, properties, how many automations have led to it]. */
function modelEmits(stories: ReadonlyMap<string, Followed>, { events, leadings }: Found): string[] {
  const depths = new Map([
    ...events.map(({ position, data }) => [Number(position), Number(JSON.parse(data).cause?.depth ?? 0)] as const),
    ...leadings.map((one) => [placeOfLeading(one), one.depth] as const),
  ])
  return [...stories]
    .flatMap(([contactId, followed]) =>
      followed.stories.flatMap(({ run, effects }) =>
        effects.flatMap((one) => {
          if (one.kind !== 'emit') return []
          const depth = (depths.get(run.enteredPosition) ?? 0) + 1
          return [`${contactId} ${one.event} ${canonical(one.properties)} ${depth}`]
        }),
      ),
    )
    .sort()
}

function emittedTold({ people, acts }: EngineWorld, { events }: Found): string[] {
  return events
    .filter(({ isEmitted, isOwnWords }) => isEmitted && isOwnWords)
    .map(({ doer, name, data }) => {
      const { cause, ...properties } = JSON.parse(data)
      return `${people[survivorOf(acts, placeOfAddress(doer))]!.contactId} ${name} ${canonical(properties)} ${cause.depth}`
    })
    .sort()
}

/** What runs have brought about, tags and news of themselves as well, without one more than the event has that has brought them in. */
function wrongDepths({ events, runs }: Found): string[] {
  const depths = new Map(events.map(({ position, data }) => [position, Number(JSON.parse(data).cause?.depth ?? 0)]))
  const broughtInBy = new Map(runs.map(({ id, eventId }) => [id, eventId]))
  return events.flatMap(({ position, name, data, isEmitted }) => {
    const { runId, depth } = isEmitted ? JSON.parse(data).cause : {}
    const before = depths.get(broughtInBy.get(String(runId)) ?? '')
    return before === undefined || depth === before + 1 ? [] : [`${name} ${position}: ${depth} behind ${before}`]
  })
}

/** Whom steps have had come in or leave, [contact, which]. */
function modelLeadings(stories: ReadonlyMap<string, Followed>): string[] {
  const isLeading = ({ kind }: Followed['effects'][number]) => kind === 'enroll' || kind === 'leave'
  return [...stories]
    .flatMap(([contactId, { effects }]) => effects.filter(isLeading).map(({ kind }) => `${contactId} ${kind}`))
    .sort()
}

function leadingsTold({ people, acts }: EngineWorld, { leadings }: Found): string[] {
  const placeOf = (contactId: string) => people.findIndex((one) => one.contactId === contactId)
  return leadings
    .map(({ contactId, leaves }) => {
      return `${people[survivorOf(acts, placeOf(contactId))]!.contactId} ${leaves ? 'leave' : 'enroll'}`
    })
    .sort()
}

const survivorOf = ({ mergings }: Acts, place: number) =>
  mergings.reduce((at, one) => (one.other === at ? one.survivor : at), place)

const canonical = (properties: object) =>
  JSON.stringify(Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1)))

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
