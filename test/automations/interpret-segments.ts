import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { listensOf } from '../../server/modules/automations/definition/listens.ts'
import { microsOf } from '../../server/modules/automations/micros.ts'
import { follow, followPaused, type Happening, inOrder } from '../../server/modules/automations/run/model/follow.ts'
import type { Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { parseDefinition } from '../../server/modules/segments/parse-definition.ts'
import { type EngineWorld, inForceAt, watchedBy } from './engine-worlds.ts'
import { type Going, interpretedBy, type LoggedEvent, type Watched } from './interpret-acts.ts'
import { groupHolds, type Segments, standing } from './random-worlds.ts'
import { pauseAt, placeAt } from './sound-acts.ts'

/*
 * Who comes into segments and goes: at each look those who are in one are held to those who were at the look before, of whom the first tells
 * nobody. The log says in which order somebody's comings and goings of one look were told.
 */

/** Watched segments by their ids, each with the places of those who were in it; null before the first look. */
type Watches = Map<string, Set<number> | null>
export type Watching = { watches: Watches; groups: readonly Group[]; told: Map<string, LoggedEvent> }
type Group = ReturnType<typeof parseDefinition>['group']
type Move = { place: number; name: string; segmentId: string }

export function watchingOf(segments: Segments, events: readonly LoggedEvent[]): Watching {
  const told = events.flatMap((event) => {
    const isMove = event.name.startsWith('segment.')
    return isMove ? [[keyOf(event, String(JSON.parse(event.data).segmentId)), event] as const] : []
  })
  const groups = segments.map((group) => parseDefinition(JSON.stringify(group)).group)
  return { watches: new Map(), groups, told: new Map(told) }
}

/** From now on these are watched, if they are not already. */
export function watch({ watches }: Watching, definition: Definition): void {
  for (const id of watchedBy(definition)) if (!watches.has(id)) watches.set(id, null)
}

/** Whoever is kept in a segment is so as whom they have become part of. */
export function moveMemberships({ watches }: Watching, { survivor, other }: { survivor: number; other: number }): void {
  for (const members of watches.values()) if (members?.delete(other)) members.add(survivor)
}

/** Looks at all watched segments, and has everybody hear what it tells of them. */
export function lookAt(going: Going, at: Micros): void {
  const moves = [...going.watching.watches.keys()].sort().flatMap((id) => movesOf(going, id, at))
  const happened = moves.map(({ place, name, segmentId }) => {
    const key = keyOf({ at: String(at), doer: going.all[place]!.contactId, name }, segmentId)
    const event = going.watching.told.get(key)
    if (event === undefined) throw new Error(`nobody was told of ${key}`)
    going.watching.told.delete(key)
    return { place, happening: happeningOf(event, at) }
  })
  for (const [place, own] of Map.groupBy(happened, (one) => one.place)) {
    const happenings = inOrder(own.map(({ happening }) => happening))
    hearMoves(going, going.all[place]!, { at, happenings })
  }
}

function happeningOf({ position, name, data }: LoggedEvent, at: Micros): Happening {
  return { at, position: Number(position), name, data: JSON.parse(data), proof: null, depth: 0 }
}

const keyOf = ({ at, doer, name }: Pick<LoggedEvent, 'at' | 'doer' | 'name'>, segmentId: string) =>
  `${/^\d+$/.test(at) ? at : microsOf(at)} ${doer} ${name} ${segmentId}`

function movesOf({ world, all, watching }: Going, segmentId: string, at: Micros): Move[] {
  const { watches, groups } = watching
  if (!isWanted(world, segmentId, at)) {
    watches.delete(segmentId)
    return []
  }
  const group = groups[Number(segmentId) - 1]!
  const isIn = ({ person, followed }: Watched) => groupHolds(group, standing(person, followed.effects))
  const there = [...all.keys()].filter((place) => placeAt(world.acts, place, at + 1) === place && isIn(all[place]!))
  const kept = watches.get(segmentId)
  watches.set(segmentId, new Set(there))
  if (!kept) return []
  const left = [...kept].filter((place) => placeAt(world.acts, place, at + 1) === place && !there.includes(place))
  const entered = there.filter((place) => !kept.has(place))
  return [
    ...left.map((place) => ({ place, name: 'segment.left', segmentId })),
    ...entered.map((place) => ({ place, name: 'segment.entered', segmentId })),
  ]
}

/** Whether a version that the automation has or had listens to it still: those before no longer bring people in. */
function isWanted({ definition, acts }: EngineWorld, segmentId: string, at: Micros): boolean {
  if (acts.stop !== null && acts.stop.at <= at) return false
  const versions = [definition, ...acts.publishings.filter((one) => one.at <= at).map((one) => one.definition)]
  return versions.some((version, n) => {
    const listens = listensOf(version).filter(({ kind }) => kind !== 'entry' || n === versions.length - 1)
    return watchedBy(version).includes(segmentId) && listens.some(({ name }) => name.startsWith('segment.'))
  })
}

function hearMoves({ world }: Going, one: Watched, { at, happenings }: { at: Micros; happenings: Happening[] }): void {
  const definition = inForceAt(world, at)
  const pause = pauseAt(world.acts.pauses, at)
  const isPaused = pause !== undefined && at < pause.until
  const heard = isPaused
    ? happenings.map((happening) => ({ ...happening, heardBy: definition, isClosed: !one.followed.isOpen }))
    : happenings
  one.happenings = inOrder([...one.happenings, ...heard])
  if (isPaused) followPaused(one.followed, heard)
  else follow(interpretedBy(world, definition, one.facts), one.followed, { happenings: heard, until: at })
}
