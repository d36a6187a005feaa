import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { isPlace, type Moving } from '../../server/modules/automations/definition/places.ts'
import type { Micros } from '../../server/modules/automations/run/model/model-run.ts'
import type { RunAct } from '../../server/modules/automations/run/steer-runs.ts'
import type { DrawnActs } from './random-acts.ts'
import { soundDefinition } from './random-definitions.ts'
import { GRID_MICROS, type Moments } from './world-times.ts'

/** A version that is published while people are inside. */
export type Publishing = { at: Micros; json: object; definition: Definition; moving: Moving }

/** Past triggers that go through the entry once everything of a moment is done: those since `from`. */
export type Backfilling = { at: Micros; from: Micros; asOf: 'now' | 'then' }

/** A pause, and what becomes of that which was to come meanwhile. */
export type Pause = { from: Micros; until: Micros } & Late
export type Late = { late: 'now' | 'shift' } | { late: 'drop'; dropAfter: string; dropMicros: Micros }

/** Somebody, by their place among the people, who is erased, becomes part of another or has another time zone. */
export type Erasure = { at: Micros; place: number }
export type Merging = { at: Micros; survivor: number; other: number }
export type Zoning = { at: Micros; place: number; zone: string | null }

/** Somebody is given a tag by hand, or it is taken from them. */
export type Tagging = { at: Micros; place: number; tag: string; isGiven: boolean }

/** The date of somebody is another one from now on. */
export type Dating = { at: Micros; place: number; day: string | null }

/** A node is halted, as where too many have failed there. */
export type Halting = { at: Micros; node: string }

/** Nothing fails for somebody any more. */
export type Cure = { at: Micros; place: number }
/** Parked runs of somebody, of all, or of all at a node, are taken up or end. */
export type Steering = { at: Micros; place: number | null; node: string | null; what: RunAct }

/** Somebody clicks in all mails that an automation has for them by now. */
export type Clicking = { at: Micros; place: number }
/** Somebody's address must not be mailed from now on, or may be again. */
export type Suppressing = { at: Micros; place: number; isListed: boolean }

/** Somebody's runs are ended by hand. */
export type Leaving = { at: Micros; place: number }
/** Somebody is to come in by hand, a little after a moment. */
export type Enrolling = { at: Micros; place: number; beginsAt: Micros; key: string }

/** The entry closes, or opens again: the last of all that is done at a moment, whatever is not read or done by then. */
export type Turning = { at: Micros; isOpen: boolean }

/** The automation ends for good, and may be deleted. */
export type Stop = { at: Micros; isDeleted: boolean }

/** All that is done to an automation and to its people. */
export type Acts = {
  publishings: readonly Publishing[]
  backfillings: readonly Backfilling[]
  pauses: readonly Pause[]
  erasures: readonly Erasure[]
  mergings: readonly Merging[]
  zonings: readonly Zoning[]
  taggings: readonly Tagging[]
  datings: readonly Dating[]
  haltings: readonly Halting[]
  cures: readonly Cure[]
  steerings: readonly Steering[]
  clickings: readonly Clicking[]
  suppressings: readonly Suppressing[]
  leavings: readonly Leaving[]
  enrollings: readonly Enrolling[]
  turnings: readonly Turning[]
  stop: Stop | null
}
export const NO_ACTS: Acts = {
  ...{ publishings: [], backfillings: [], pauses: [], erasures: [], mergings: [], zonings: [], taggings: [] },
  ...{ clickings: [], suppressings: [] },
  ...{ datings: [], haltings: [], cures: [], steerings: [], leavings: [], enrollings: [], turnings: [], stop: null },
}

const SECOND_MICROS = 1_000_000
export const turningAt = (moment: Micros): Micros => moment + 2 * SECOND_MICROS

/** Acts by their moments, without those after the end, those of somebody who is no more, and walks through the past in a pause. */
export function soundActs(given: DrawnActs, moments: Moments, count: number): Acts {
  const atOf = (n: number) => moments[Math.min(n, moments.length - 1)]!
  const stop = given.stop && { at: atOf(given.stop.act), isDeleted: given.stop.isDeleted }
  const pauses = soundPauses(given, moments)
  const timed = <T extends { act: number }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, at: atOf(one.act) })).sort((one, other) => one.at - other.at)
  const still = <T extends { at: Micros }>(all: readonly T[]) =>
    all.filter(({ at }) => pauseAt(pauses, at) === undefined)
  const going = <T extends { at: Micros }>(all: readonly T[]) => all.filter(({ at }) => at < (stop?.at ?? Infinity))
  const turnings = going(timed(given.turnings)).map(
    ({ at }, n): Turning => ({ at: turningAt(at), isOpen: n % 2 === 1 }),
  )
  const open = <T extends { at: Micros }>(all: readonly T[]) => all.filter(({ at }) => isOpenAt(turnings, at))
  const { gone, erasures, mergings } = departures(timed(given.erasures), timed(given.mergings), count)
  const ofThere = <T extends { at: Micros; place: number }>(all: readonly T[]) =>
    all
      .map((one) => ({ ...one, place: one.place % count }))
      .filter(({ at, place }) => at < (gone.get(place) ?? Number.POSITIVE_INFINITY))
      .filter((one, n, same) => same.findIndex(({ at, place }) => at === one.at && place === one.place) === n)
  return {
    publishings: going(timed(given.publishings)).map(({ at, json, inside, map, nodes }) => {
      const definition = soundDefinition(json)
      const places = Object.fromEntries(Object.entries(map).filter(([, place]) => isPlace(definition, place)))
      return { at, json, definition, moving: { inside, map: places, nodes } }
    }),
    backfillings: open(going(still(timed(given.backfillings)))).map(({ at, ago, asOf }) => {
      return { at, asOf, from: at - ago * GRID_MICROS }
    }),
    ...{ pauses, erasures, mergings },
    zonings: ofThere(timed(given.zonings)).map(({ at, place, zone }) => ({ at, place, zone })),
    taggings: ofThere(timed(given.taggings)).map(({ at, place, tag, isGiven }) => ({ at, place, tag, isGiven })),
    haltings: going(timed(given.haltings)).map(({ at, node }) => ({ at, node })),
    datings: ofThere(timed(given.datings)).map(({ at, place, day }) => ({ at, place, day })),
    cures: ofThere(timed(given.cures)).map(({ at, place }) => ({ at, place })),
    steerings: going(timed(given.steerings)).map(({ at, place, node, what }) => {
      return { at, what, place: place === null ? null : place % count, node: place === null ? node : null }
    }),
    clickings: ofThere(timed(given.clickings)).map(({ at, place }) => ({ at, place })),
    suppressings: ofThere(timed(given.suppressings)).map(({ at, place, isListed }) => ({ at, place, isListed })),
    leavings: ofThere(going(timed(given.leavings))).map(({ at, place }) => ({ at, place })),
    enrollings: ofThere(open(going(timed(given.enrollings)))).map(({ at, place, key }) => {
      return { at, place, key, beginsAt: at + SECOND_MICROS + place }
    }),
    turnings,
    stop,
  }
}

/** Whether the entry is open at a moment. */
export const isOpenAt = (turnings: readonly Turning[], at: Micros): boolean =>
  turnings.findLast((one) => one.at <= at)?.isOpen ?? true

/** Pauses in their order, each behind the one before. */
function soundPauses(given: DrawnActs, moments: Moments): Pause[] {
  const pauses: Pause[] = []
  let next = 0
  for (const { act, acts, late } of given.pauses.toSorted((one, other) => one.act - other.act)) {
    const until = Math.min(act + acts, moments.length - 1)
    if (act < next || until <= act) continue
    pauses.push({ ...late, from: moments[act]!, until: moments[until]! })
    next = until + 1
  }
  return pauses
}

type Departing = { gone: ReadonlyMap<number, Micros>; erasures: Erasure[]; mergings: Merging[] }

/** Who is erased or becomes part of another, by their places, at most once, and when they are no more. */
function departures(
  erased: readonly { at: Micros; place: number }[],
  merging: readonly Merging[],
  count: number,
): Departing {
  const [gone, merged] = [new Map<number, Micros>(), new Set<number>()]
  const mergings = merging.flatMap(({ at, ...one }): Merging[] => {
    const [survivor, other] = [one.survivor % count, one.other % count]
    if (survivor === other || gone.has(survivor) || gone.has(other)) return []
    gone.set(other, at)
    merged.add(survivor)
    return [{ at, survivor, other }]
  })
  const erasures = erased.flatMap(({ at, place: drawn }): Erasure[] => {
    const place = drawn % count
    if (gone.has(place) || merged.has(place)) return []
    gone.set(place, at)
    return [{ at, place }]
  })
  return { gone, erasures, mergings }
}

/** The pause that a moment is in, its two ends included. */
export const pauseAt = (pauses: readonly Pause[], at: Micros): Pause | undefined =>
  pauses.find(({ from, until }) => at >= from && at <= until)

/** Whose an event is that somebody's deeds at a moment make: of whoever they have become part of by then; nobody's after an erasure. */
export function placeAt({ erasures, mergings }: Acts, place: number, at: Micros): number | undefined {
  let whose = place
  for (const one of mergings) if (one.other === whose && one.at < at) whose = one.survivor
  return erasures.some((one) => one.place === whose && one.at < at) ? undefined : whose
}
