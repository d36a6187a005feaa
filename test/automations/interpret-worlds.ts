import assert from 'node:assert/strict'
import { shareOf } from '../../server/modules/automations/definition/share-of.ts'
import { microsOf } from '../../server/modules/automations/micros.ts'
import { comeLate } from '../../server/modules/automations/run/model/come-late.ts'
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
} from '../../server/modules/automations/run/model/follow.ts'
import type { Effect, Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { tryAgain } from '../../server/modules/automations/run/model/take-up.ts'
import { type EngineWorld, inForceAt, placeOfAddress } from './engine-worlds.ts'
import {
  backfillTo,
  click,
  type Emitted,
  erase,
  type Going,
  goOn,
  interpretedBy,
  type Late,
  type LoggedEvent,
  mailsOf,
  mergeTo,
  publishTo,
  setDate,
  setZoneOf,
  steerTo,
  type Told,
  tag,
  takeAlongLate,
  type Watched,
} from './interpret-acts.ts'
import { sweepAt, sweepBy } from './interpret-dates.ts'
import { lookAt, moveMemberships, watch, watchingOf } from './interpret-segments.ts'
import { isCursed } from './random-definitions.ts'
import { factsOf } from './random-worlds.ts'
import { type Leading, placeOfLeading } from './read-worlds.ts'
import { type Enrolling, isOpenAt, type Pause, pauseAt, placeAt } from './sound-acts.ts'
import { BEGIN, type Times, UNTIL } from './world-times.ts'

/** The ways of all contacts of a world by the interpreter, from the events as the log has them, by their ids. */
export function interpretedWays(
  world: EngineWorld,
  told: Told,
  { moments, checks, looks, sweeps }: Times,
): ReadonlyMap<string, Followed> {
  const watching = watchingOf(world.segments, told.events)
  const halted = new Set<string>()
  const clicked = new WeakSet<Effect>()
  const emitted = told.events.filter(({ isEmitted }) => isEmitted).map((event) => emittedOf(world, event))
  const going: Going = {
    halted,
    emitted,
    world,
    all: everybody(world, {
      events: told.events,
      emitted,
      led: told.leadings.map((one) => ledOf(world, one)),
      halted,
      clicked,
    }),
    late: [],
    from: -1,
    watching,
    sweeps: [],
    taken: [],
    begunBy: new WeakMap(),
    clicked,
  }
  watch(watching, world.definition)
  sweepBy(going, world.definition, BEGIN)
  for (const at of moments) {
    const due = { isCheck: checks.includes(at), isLook: looks.includes(at), isSweep: sweeps.includes(at) }
    actAt(going, { at, told, ...due })
  }
  followTo(going, UNTIL)
  assert.deepEqual([...watching.told.keys()], [], 'comings and goings of segments')
  return new Map(going.all.map(({ contactId, followed }) => [contactId, followed]))
}

function followTo(going: Going, until: Micros): void {
  for (const { at, isOpen } of going.world.acts.turnings) {
    if (at <= going.from || at > until) continue
    followOn(going, at)
    for (const { followed } of going.all) followed.isOpen = isOpen
  }
  followOn(going, until)
}

function followOn(going: Going, until: Micros): void {
  const { world, from } = going
  const { stop: end, pauses } = world.acts
  if (end !== null && end.at < until) return
  const pause = pauseAt(pauses, until)
  const isPaused = pause !== undefined && until > pause.from
  if (isPaused) {
    for (const { happenings, followed } of going.all) followPaused(followed, between(happenings, from, until))
    if (until === pause.until) endPause(going, pause)
  } else {
    const definition = inForceAt(world, from)
    for (const { happenings, facts, followed } of going.all) {
      const within = between(happenings, from, until)
      follow(interpretedBy(world, definition, facts), followed, { happenings: within, until })
    }
  }
  going.from = until
}

/** What became due in a pause, and what was done, takes effect when it ends, by the version that is in force then. */
function endPause({ world, all, late, taken }: Going, pause: Pause): void {
  goOn(all, pause)
  const up = taken.splice(0)
  for (const { followed, happenings } of all) tryAgain(followed, up, { at: pause.from, before: happenings })
  const definition = inForceAt(world, pause.until)
  for (const { early, happenings: before, facts, followed } of all) {
    comeLate(interpretedBy(world, definition, facts), followed, { at: pause.from, wishes: early.splice(0), before })
  }
  let since = pause.from
  const followAll = (until: Micros) => {
    for (const { happenings, facts, followed } of all) {
      const within = between(happenings, since, until).map((one) => ({
        heardBy: inForceAt(world, one.at - 1),
        isClosed: !isOpenAt(world.acts.turnings, one.at),
        ...one,
      }))
      follow(interpretedBy(world, definition, facts), followed, { happenings: within, until })
    }
    since = until
  }
  // At one moment other time zones, which are events, come before the version that people are taken into.
  const inOrderOfQueue = late.splice(0).sort((one, other) => one.at - other.at || rankOf(one) - rankOf(other))
  for (const { at, act } of inOrderOfQueue) {
    followAll(at)
    act()
  }
  followAll(pause.until)
}

const rankOf = ({ isMove }: Late) => (isMove ? 1 : 0)

const between = (happenings: readonly Happening[], after: Micros, until: Micros) =>
  happenings.filter(({ at }) => at > after && at <= until)

type Acting = { at: Micros; isCheck: boolean; isLook: boolean; isSweep: boolean; told: Told }

/** All that is done at a moment; in between those whose rest is over go on, as the drive has them. */
function actAt(going: Going, { at, isCheck, isLook, isSweep, told }: Acting): void {
  const { world, all, late } = going
  const { acts } = world
  const now = <T extends { at: Micros }>(of: readonly T[]) => of.filter((one) => one.at === at)
  const pause = pauseAt(acts.pauses, at)
  const settle = () => {
    if (pause === undefined) for (const { followed } of all) fireTimers(followed, at)
  }
  // Versions come before the beginning of a pause, and before its end.
  const isLate = pause !== undefined && at > pause.from
  if (isLate && now(acts.publishings).length > 0) going.halted.clear()
  if (isLate) for (const one of now(acts.publishings)) takeAlongLate(world, all, { ...one, late })
  followTo(going, at)
  for (const { definition } of now(acts.publishings)) {
    watch(going.watching, definition)
    sweepBy(going, definition, at)
  }
  if (now(acts.publishings).length > 0) going.halted.clear()
  if (!isLate) for (const one of now(acts.publishings)) publishTo(world, all, one)
  settle()
  if (isCheck && pause === undefined) for (const { followed } of all) checkWaits(followed, at)
  settle()
  for (const { place } of now(acts.erasures)) erase(all[place]!)
  const inPause = pause !== undefined && at < pause.until ? { from: pause.from, late } : undefined
  for (const one of now(acts.mergings)) mergeTo(going, { ...one, runIds: told.runIds, inPause })
  for (const one of now(acts.mergings)) moveMemberships(going.watching, one)
  settle()
  for (const one of now(acts.zonings)) setZoneOf(all, { ...one, inPause })
  settle()
  for (const one of now(acts.taggings)) tag(all, one)
  for (const one of now(acts.datings)) setDate(all, one)
  for (const { place } of now(acts.clickings)) click(going, all[place]!)
  for (const { place, isListed } of now(acts.suppressings)) all[place]!.isSuppressed = isListed
  for (const { place } of now(acts.leavings)) leaveByHand(all[place]!.followed, at)
  for (const { node } of now(acts.haltings)) going.halted.add(node)
  for (const { place } of now(acts.cures)) all[place]!.isCursed = false
  for (const one of now(acts.steerings)) steerTo(going, one, inPause !== undefined)
  if (acts.stop?.at === at) for (const { followed } of all) stop(followed)
  if (isSweep) sweepAt(going, at)
  if (isLook && pause?.from !== at) lookAt(going, at)
  for (const one of now(acts.backfillings)) backfillTo(world, all, one)
}

/** An event that the automation has recorded: one of a moment at which a version was published may have been heard by that before. */
function emittedOf(world: EngineWorld, { doer, isOwnWords, position, at, name, data }: LoggedEvent): Emitted {
  const given = JSON.parse(data)
  const of = { at: Number(microsOf(at)), position: Number(position), name, data: given, depth: given.cause.depth }
  const published = world.acts.publishings.findLast((one) => one.at < of.at)
  const isBefore = published !== undefined && of.position <= world.logged.publishings.get(published.at)!
  const heardBy = isBefore ? { heardBy: inForceAt(world, published.at - 1) } : {}
  const place = isOwnWords ? placeOfAddress(doer) : world.people.findIndex(({ contactId }) => contactId === doer)
  return { place, happening: { ...of, proof: null, ...heardBy } }
}

/** Somebody whom a step has had come in, or leave. */
function ledOf({ people }: EngineWorld, leading: Leading): Emitted {
  const { contactId, at, leaves, depth } = leading
  const of = { at: Number(microsOf(at)), position: placeOfLeading(leading), name: null, data: null, depth }
  return {
    place: people.findIndex((one) => one.contactId === contactId),
    happening: leaves ? { ...of, leaves } : of,
  }
}

type Everybody = {
  events: readonly LoggedEvent[]
  emitted: readonly Emitted[]
  led: readonly Emitted[]
  halted: ReadonlySet<string>
  clicked: WeakSet<Effect>
}

function everybody(
  { automationId, people, acts }: EngineWorld,
  { events, emitted, led, halted, clicked }: Everybody,
): Watched[] {
  const deeds = events.filter(({ name, isEmitted }) => !name.startsWith('segment.') && !isEmitted)
  const happened = deeds.map(({ doer, position, at, name, data, proof }) => ({
    doer: Number(doer),
    happening: { at: Number(microsOf(at)), position: Number(position), name, data: JSON.parse(data), proof, depth: 0 },
  }))
  const told = [...emitted, ...led].map(({ place, happening }) => ({ doer: place, happening }))
  const byPlace = Map.groupBy([...happened, ...told], ({ doer, happening }) => placeAt(acts, doer, happening.at))
  const planned = people.flatMap(({ person }, n) =>
    person.happenings.filter(({ at }) => placeAt(acts, n, at) !== undefined),
  )
  assert.equal(happened.length, planned.length, 'events')
  return people.map(({ person, contactId }, place) => {
    const followed = nobodyYet()
    const bucket = (of: string) => shareOf(of === '' ? `holdout/${automationId}` : `split/${of}`, contactId)
    const byHand = acts.enrollings.filter((one) => one.place === place).map(enrolled)
    const happenings = inOrder([...(byPlace.get(place) ?? []).map(({ happening }) => happening), ...byHand])
    const one: Watched = {
      ...{ person, contactId, happenings, early: [], followed, isCursed: person.isCursed === true },
      isSuppressed: person.isSuppressed,
      facts: {
        ...factsOf(person, followed.effects),
        bucket,
        clicked: (node, { run }) => run !== undefined && mailsOf(followed, run, node).some((mail) => clicked.has(mail)),
        refusal: () => (one.isSuppressed ? 'suppressed' : undefined),
        fails: (node, id) => halted.has(id) || (one.isCursed && isCursed(node)),
      },
    }
    return one
  })
}

const enrolled = ({ beginsAt, key }: Enrolling): Happening => {
  return { at: beginsAt, position: 0, name: null, data: null, depth: 0, key }
}
