import assert from 'node:assert/strict'
import type { Proof } from '../../server/catalogue/proofs.ts'
import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { backfillNow, backfillThen } from '../../server/modules/automations/run/model/backfill.ts'
import { endStory } from '../../server/modules/automations/run/model/end-story.ts'
import {
  type Followed,
  type Happening,
  inOrder,
  liveOf,
  reckonAnew,
  type Story,
  shift,
} from '../../server/modules/automations/run/model/follow.ts'
import { forget } from '../../server/modules/automations/run/model/forget.ts'
import { type Apart, merge } from '../../server/modules/automations/run/model/merge.ts'
import type {
  Effect,
  Facts,
  Interpreted,
  Micros,
  ModelRun,
} from '../../server/modules/automations/run/model/model-run.ts'
import { meantBy, publish } from '../../server/modules/automations/run/model/publish.ts'
import { type TakenUp, takeUp, tryAgain } from '../../server/modules/automations/run/model/take-up.ts'
import { type EngineWorld, inForceAt, triggersOf } from './engine-worlds.ts'
import type { Sweeping } from './interpret-dates.ts'
import type { Watching } from './interpret-segments.ts'
import { type Person, tagsAfter } from './random-worlds.ts'
import type { Leading } from './read-worlds.ts'
import {
  type Backfilling,
  type Dating,
  type Merging,
  type Pause,
  type Publishing,
  placeAt,
  type Steering,
  type Tagging,
  type Zoning,
} from './sound-acts.ts'

/*
 * What is done to automations and people, as the interpreter knows it.
 */

/** An event as the log has it, and whose deed it is by their place; or by their address where an automation has recorded it. */
export type LoggedEvent = {
  doer: string
  isEmitted: boolean
  /** Of the words of a workspace, and not of the system. */
  isOwnWords: boolean
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
export type Told = {
  events: readonly LoggedEvent[]
  leadings: readonly Leading[]
  runIds: ReadonlyMap<string, readonly number[]>
}

/** Everybody of a world, followed until `from`, what was done in a pause and is late therefore, and the segments that are watched. */
export type Going = {
  world: EngineWorld
  all: readonly Watched[]
  late: Late[]
  from: Micros
  watching: Watching
  /** Dates and schedules that bring people in. */
  sweeps: Sweeping[]
  /** Nodes where whoever comes gathers, until they are tried again or a version is published. */
  halted: Set<string>
  /** Runs taken up in a pause. */
  taken: TakenUp[]
  /** Who has begun runs of people who have become one since. */
  begunBy: WeakMap<Story, string>
  /** Mails in which somebody has clicked. */
  clicked: WeakSet<Effect>
  /** Events that the automation has recorded, and of whom, by their places. */
  emitted: readonly Emitted[]
}
export type Emitted = { place: number; happening: Happening }

/** Somebody of a world as the interpreter sees them: all that happens to them, and what has come of it so far. */
export type Watched = {
  person: Person
  contactId: string
  happenings: readonly Happening[]
  /** Wishes to come in that were found in a pause, and are of a moment before it. */
  early: Happening[]
  facts: Facts
  followed: Followed
  isCursed: boolean
  isSuppressed: boolean
}

/** What was done in a pause and takes effect when that is over, as of then; `late` is in the order of its moments. */
export type Late = { at: Micros; act: () => void; isMove?: true }
/** A pause that somebody's act is in. */
export type InPause = { from: Micros; late: Late[] } | undefined

/** Nobody does anything any more, and what they did and nobody has followed yet is nobody's. */
export function erase(one: Watched): void {
  forget(one.followed)
  one.happenings = []
  one.early = []
}

export const interpretedBy = ({ automationId }: EngineWorld, definition: Definition, facts: Facts): Interpreted => ({
  ...{ automationId, definition, facts, wallAt: (at) => at },
})

export function goOn(all: readonly Watched[], { from: pausedAt, until: resumedAt, ...late }: Pause): void {
  for (const { followed, facts } of all) {
    if (late.late === 'shift') shift(followed, { pausedAt, resumedAt })
    if (late.late === 'drop') facts.mailFrom = resumedAt - late.dropMicros
  }
}

type PublishingLate = Publishing & { late: Late[] }

/** In a pause those who are meant are marked, and nobody by an earlier version of the pause any more; they come along when it is over. */
export function takeAlongLate(world: EngineWorld, all: readonly Watched[], { late, ...one }: PublishingLate): void {
  late.splice(0, late.length, ...late.filter(({ isMove }) => isMove !== true))
  const meant = new Set(all.flatMap(({ followed }) => meantBy(one.moving, followed)))
  late.push({ at: one.at, isMove: true, act: () => publishTo(world, all, { ...one, meant }) })
}

type PublishingTo = Publishing & { meant?: ReadonlySet<Story> }

export function publishTo(world: EngineWorld, all: readonly Watched[], { definition, ...one }: PublishingTo): void {
  const { at, moving, meant } = one
  for (const { facts, followed, happenings } of all) {
    const those = liveOf(followed).filter((story) => meant === undefined || meant.has(story))
    publish(interpretedBy(world, definition, facts), followed, { at, moving, before: happenings, those })
  }
}

/** Triggers by which nobody has come in; of those who begin now the newest of the whole world is the first. */
export function backfillTo(world: EngineWorld, everyone: readonly Watched[], { at, from, asOf }: Backfilling): void {
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

type MergingTold = Merging & Pick<Told, 'runIds'> & { inPause: InPause }

/** The entry of a run: the place of its event, or the moment, the contact and the key of whoever came in without one. */
export const entryOf = ({ eventId, at, by, key }: { eventId: number; at: Micros; by: string; key: string }) =>
  eventId > 0 ? String(eventId) : `${at} ${by} ${key}`

export function mergeTo(going: Going, { at, survivor, other, runIds, inPause }: MergingTold): void {
  const { world, all, begunBy } = going
  const [one, gone] = [all[survivor]!, all[other]!]
  const since = ({ happenings }: Watched, from: Micros) =>
    happenings.filter((of) => of.at > from && of.at <= at).map(({ position }) => position)
  const deedsSince = (from: Micros) => ({ bySurvivor: since(one, from), byOther: since(gone, from) })
  const [deeds, apart] = [deedsSince(-1), inPause && deedsSince(inPause.from)]
  one.happenings = inOrder([...one.happenings, ...gone.happenings])
  gone.happenings = []
  one.early.push(...gone.early.splice(0))
  for (const { followed, contactId } of [one, gone])
    for (const story of followed.stories) if (!begunBy.has(story)) begunBy.set(story, contactId)
  const set = { node: '', visit: 0 }
  const tags = [...tagsAfter(gone.person, gone.followed.effects)]
  const nothing = { at, effects: [] }
  const brought: Effect[] = [{ kind: 'tag', ...set, add: tags, remove: [] }]
  const isGiven = (value: unknown) => value !== null && value !== undefined
  for (const key of ['day', 'level']) {
    const value = gone.facts.fieldOf(key, nothing)
    if (!isGiven(one.facts.fieldOf(key, nothing)) && isGiven(value)) {
      brought.push({ kind: 'field', ...set, set: { [key]: value } })
    }
  }
  one.facts.zone ??= gone.facts.zone
  const entryOfStory = (story: Story) => {
    const { enteredPosition: eventId, enteredAt, entryKey: key } = story.run
    return entryOf({ eventId, at: enteredAt, by: begunBy.get(story)!, key })
  }
  // Steps may have had somebody come in more than once at a moment.
  const begun = Map.groupBy([...one.followed.stories, ...gone.followed.stories], entryOfStory)
  const placeOf = (story: Story) => {
    const entry = entryOfStory(story)
    const before = begun.get(entry)!.filter(({ run }) => run.enteredPosition < story.run.enteredPosition)
    const ids = runIds.get(entry) ?? assert.fail(`no run of the engine has begun by ${entry}`)
    return ids[before.length]!
  }
  const both = { survivor: one.followed, other: gone.followed }
  const told = toldBefore(going, { at, survivor, other })
  merge(interpretedBy(world, inForceAt(world, at), one.facts), both, { at, placeOf, brought, deeds, apart, told })
  if (inPause) reckonLate(all, one, { at, late: inPause.late })
}

/** What was recorded of two people before they became one, and is of a moment after it: read by then, it is heard by their own runs alone. */
function toldBefore({ world, emitted }: Going, { at, survivor, other }: Merging): Apart {
  const last = world.logged.mergings.get(at)!
  const of = (place: number) =>
    emitted
      .filter(({ happening }) => happening.at > at && happening.position <= last)
      .filter((one) => placeAt(world.acts, one.place, at) === place)
      .map(({ happening }) => happening.position)
  return { bySurvivor: of(survivor), byOther: of(other) }
}

export function setZoneOf(all: readonly Watched[], { at, place, zone, inPause }: Zoning & { inPause: InPause }): void {
  const one = all[place]!
  if (one.facts.zone === (zone ?? undefined)) return
  one.facts.zone = zone ?? undefined
  if (inPause) reckonLate(all, one, { at, late: inPause.late })
  else reckonAnew(one.followed, liveOf(one.followed), at)
}

/** Those inside now, of whomever they are by then. */
function reckonLate(
  all: readonly Watched[],
  { followed: own }: Watched,
  { at, late }: { at: Micros; late: Late[] },
): void {
  const there = new Set(liveOf(own))
  const act = () => {
    for (const { followed } of all) {
      const stories = liveOf(followed).filter((story) => there.has(story))
      reckonAnew(followed, stories, at)
    }
  }
  late.push({ at, act })
}

/** Somebody is given a tag, or it is taken from them. */
export function tag(all: readonly Watched[], { place, tag: name, isGiven }: Tagging): void {
  const [add, remove] = isGiven ? [[name], []] : [[], [name]]
  all[place]!.followed.effects.push({ kind: 'tag', node: '', visit: 0, add, remove })
}

/** Somebody's date is another one. */
export function setDate(all: readonly Watched[], { place, day }: Dating): void {
  all[place]!.followed.effects.push({ kind: 'field', node: '', visit: 0, set: { day } })
}

/** Mails of a run at a node. */
export const mailsOf = ({ stories }: Followed, { enteredPosition, enteredAt, entryKey }: ModelRun, node: string) =>
  stories
    .filter(
      ({ run }) => run.enteredPosition === enteredPosition && run.enteredAt === enteredAt && run.entryKey === entryKey,
    )
    .flatMap(({ effects }) => effects.filter((one) => one.kind === 'mail' && one.node === node))

/** Somebody clicks in all mails that they have so far. */
export function click({ clicked }: Going, { followed }: Watched): void {
  for (const { effects } of followed.stories) for (const one of effects) if (one.kind === 'mail') clicked.add(one)
}

/** Takes parked runs up, or ends them; those of a pause go on when that is over. */
export function steerTo({ all, taken, halted }: Going, { at, place, node, what }: Steering, isPaused: boolean): void {
  if (what === 'retry' && place === null) {
    if (node === null) halted.clear()
    else halted.delete(node)
  }
  for (const { followed, happenings } of place === null ? all : [all[place]!]) {
    const parked = liveOf(followed).filter(({ run }) => run.state === 'parked' && (node === null || run.node === node))
    if (what === 'exit')
      for (const story of parked) endStory(followed, story, { at, end: { state: 'exited', reason: 'by_hand' } })
    else {
      if (what === 'retry') for (const { run } of parked) halted.delete(run.node)
      const up = takeUp(followed, parked, what === 'skip')
      if (isPaused) taken.push(...up)
      else tryAgain(followed, up, { at, before: happenings })
    }
  }
}
