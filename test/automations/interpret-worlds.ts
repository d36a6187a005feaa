import assert from 'node:assert/strict'
import type { Proof } from '../../server/catalogue/proofs.ts'
import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { shareOf } from '../../server/modules/automations/definition/share-of.ts'
import { microsOf } from '../../server/modules/automations/micros.ts'
import { backfillNow, backfillThen } from '../../server/modules/automations/run/model/backfill.ts'
import { leaveByHand, stop } from '../../server/modules/automations/run/model/end-story.ts'
import {
  checkWaits,
  type Followed,
  fireTimers,
  follow,
  followPaused,
  type Happening,
  inOrder,
  nobodyYet,
  reckonAnew,
  type Story,
  shift,
} from '../../server/modules/automations/run/model/follow.ts'
import { forget } from '../../server/modules/automations/run/model/forget.ts'
import { merge } from '../../server/modules/automations/run/model/merge.ts'
import type { Effect, Facts, Interpreted, Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { publish } from '../../server/modules/automations/run/model/publish.ts'
import { type EngineWorld, inForceAt, triggersOf } from './engine-worlds.ts'
import { factsOf, type Person, tagsAfter } from './random-worlds.ts'
import {
  type Backfilling,
  type Enrolling,
  type Merging,
  type Pause,
  type Publishing,
  pauseAt,
  placeAt,
  type Zoning,
} from './sound-acts.ts'
import { type Moments, UNTIL } from './world-times.ts'

/** An event as the log has it, and whose deed it is by their place. */
export type LoggedEvent = {
  doer: string
  position: string
  at: string
  name: string
  data: string
  proof: Proof | null
}

/**
 * The engine's own word on what the interpreter cannot know: the order in which runs were made, by the events that brought people in, or
 * the moments of those who came in by hand.
 */
export type Told = { events: readonly LoggedEvent[]; runIds: ReadonlyMap<number, number> }

/** Somebody of a world as the interpreter sees them: all that happens to them, and what has come of it so far. */
type Watched = { person: Person; contactId: string; happenings: readonly Happening[]; facts: Facts; followed: Followed }

/** The ways of all contacts of a world by the interpreter, from the events as the log has them, by their ids. */
export function interpretedWays(
  world: EngineWorld,
  told: Told,
  { moments, checks }: { moments: Moments; checks: Moments },
): ReadonlyMap<string, Followed> {
  const all = everybody(world, told.events)
  const { acts } = world
  let from = -1
  const followTo = (until: Micros) => {
    const definition = inForceAt(world, from)
    if (acts.stop !== null && acts.stop.at < until) return
    const pause = pauseAt(acts.pauses, until)
    const isPaused = pause !== undefined && until > pause.from
    const goesOn = isPaused && until === pause.until
    if (goesOn) goOn(all, pause)
    // What became due in a pause is done when it ends.
    const since = goesOn ? pause.from : from
    for (const { happenings, facts, followed } of all) {
      const within = (after: Micros) => happenings.filter(({ at }) => at > after && at <= until)
      if (isPaused) followPaused(followed, within(from))
      if (!isPaused || goesOn)
        follow(interpretedBy(world, definition, facts), followed, { happenings: within(since), until })
    }
    from = until
  }
  for (const at of moments) {
    const now = <T extends { at: Micros }>(of: readonly T[]) => of.filter((one) => one.at === at)
    const isPaused = pauseAt(acts.pauses, at) !== undefined
    // Whoever's rest is over by what was just done goes on before the next is: the drive settles everything in between.
    const settle = () => {
      if (!isPaused) for (const { followed } of all) fireTimers(followed, at)
    }
    followTo(at)
    for (const one of now(acts.publishings)) publishTo(world, all, one)
    settle()
    if (checks.includes(at) && !isPaused) for (const { followed } of all) checkWaits(followed, at)
    settle()
    for (const { place } of now(acts.erasures)) forget(all[place]!.followed)
    for (const one of now(acts.mergings)) mergeTo(world, all, { ...one, runIds: told.runIds })
    settle()
    for (const one of now(acts.zonings)) setZoneOf(all, one)
    settle()
    for (const { place } of now(acts.leavings)) leaveByHand(all[place]!.followed, at)
    if (acts.stop?.at === at) for (const { followed } of all) stop(followed)
    for (const one of now(acts.backfillings)) backfillTo(world, all, one)
  }
  followTo(UNTIL)
  return new Map(all.map(({ contactId, followed }) => [contactId, followed]))
}

const interpretedBy = ({ automationId }: EngineWorld, definition: Definition, facts: Facts): Interpreted => ({
  ...{ automationId, definition, facts, wallAt: (at) => at },
})

function everybody({ automationId, people, acts }: EngineWorld, events: readonly LoggedEvent[]): Watched[] {
  const happened = events.map(({ doer, position, at, name, data, proof }) => ({
    doer: Number(doer),
    happening: { at: Number(microsOf(at)), position: Number(position), name, data: JSON.parse(data), proof, depth: 0 },
  }))
  const byPlace = Map.groupBy(happened, ({ doer, happening }) => placeAt(acts, doer, happening.at))
  const planned = people.flatMap(({ person }, n) =>
    person.happenings.filter(({ at }) => placeAt(acts, n, at) !== undefined),
  )
  assert.equal(happened.length, planned.length, 'events')
  return people.map(({ person, contactId }, place) => {
    const followed = nobodyYet()
    const bucket = (of: string) => shareOf(of === '' ? `holdout/${automationId}` : `split/${of}`, contactId)
    const byHand = acts.enrollings.filter((one) => one.place === place).map(enrolled)
    const happenings = inOrder([...(byPlace.get(place) ?? []).map(({ happening }) => happening), ...byHand])
    return { person, contactId, happenings, followed, facts: { ...factsOf(person, followed.effects), bucket } }
  })
}

const enrolled = ({ beginsAt }: Enrolling): Happening => {
  return { at: beginsAt, position: 0, name: null, data: null, depth: 0 }
}

function goOn(all: readonly Watched[], { from: pausedAt, until: resumedAt, ...late }: Pause): void {
  for (const { followed, facts } of all) {
    if (late.late === 'shift') shift(followed, { pausedAt, resumedAt })
    if (late.late === 'drop') facts.mailFrom = resumedAt - late.dropMicros
  }
}

function publishTo(world: EngineWorld, all: readonly Watched[], { at, definition, moving }: Publishing): void {
  for (const { facts, followed, happenings } of all) {
    publish(interpretedBy(world, definition, facts), followed, { at, moving, before: happenings })
  }
}

/** Triggers by which nobody has come in; of those who begin now the newest of the whole world is the first. */
function backfillTo(world: EngineWorld, everyone: readonly Watched[], { at, from, asOf }: Backfilling): void {
  const all = everyone.filter((_, place) => placeAt(world.acts, place, at + 1) === place)
  const definition = inForceAt(world, at)
  const names = triggersOf(definition)
  const past = all.flatMap(({ contactId, happenings, followed: { stories } }) => {
    const entered = new Set(stories.map(({ run }) => run.enteredPosition))
    return happenings
      .filter((one) => one.at >= from && one.at <= at && names.includes(one.name!) && !entered.has(one.position))
      .map((happening) => ({ contactId, happening }))
  })
  const newest = past.toSorted((one, other) => other.happening.position - one.happening.position)
  const placed = newest.map((one, n) => ({ ...one, beginsAt: asOf === 'now' ? at + n + 1 : one.happening.at }))
  for (const { contactId, happenings, facts, followed } of all) {
    const own = placed.filter((one) => one.contactId === contactId)
    const of = interpretedBy(world, definition, facts)
    if (asOf === 'now') backfillNow(of, followed, { past: own })
    else backfillThen(of, followed, { at, past: own, before: happenings })
  }
}

type MergingTold = Merging & Pick<Told, 'runIds'>

function mergeTo(world: EngineWorld, all: readonly Watched[], { at, survivor, other, runIds }: MergingTold): void {
  const [one, gone] = [all[survivor]!, all[other]!]
  one.happenings = inOrder([...one.happenings, ...gone.happenings])
  gone.happenings = []
  const set = { node: '', visit: 0 }
  const tags = [...tagsAfter(gone.person, gone.followed.effects)]
  const nothing = { at, effects: [] }
  const day = gone.facts.fieldOf('day', nothing)
  const brought: Effect[] = [{ kind: 'tag', ...set, add: tags, remove: [] }]
  const hasDay = (value: unknown) => value !== null && value !== undefined
  if (!hasDay(one.facts.fieldOf('day', nothing)) && hasDay(day)) brought.push({ kind: 'field', ...set, set: { day } })
  one.facts.zone ??= gone.facts.zone
  const placeOf = ({ run }: Story) => runIds.get(run.enteredPosition || run.enteredAt)!
  const both = { survivor: one.followed, other: gone.followed }
  merge(interpretedBy(world, inForceAt(world, at), one.facts), both, { at, placeOf, brought })
}

function setZoneOf(all: readonly Watched[], { at, place, zone }: Zoning): void {
  const { facts, followed } = all[place]!
  if (facts.zone === (zone ?? undefined)) return
  facts.zone = zone ?? undefined
  reckonAnew(followed, at)
}
