import { endStory } from './end-story.ts'
import { type Followed, liveOf, reckonAnew, type Story } from './follow.ts'
import type { Effect, Interpreted, Micros } from './model-run.ts'

/**
 * `placeOf`: which run was made before which. `brought`: the tags and fields that the survivor has from the other. `deeds`: all by then. `apart`: it is done in
 * a pause, at whose end those who rest are reckoned anew, and these are those of the pause. `told`: recorded before the merge, and of a moment after it.
 */
export type Merging = {
  at: Micros
  placeOf: (story: Story) => number
  brought: readonly Effect[]
  deeds: Apart
  apart?: Apart | undefined
  told?: Apart | undefined
}

/** Deeds of two contacts, by their positions, before one of them became part of the other. */
export type Apart = { bySurvivor: readonly number[]; byOther: readonly number[] }

/**
 * Merges a contact into another, whose facts are those of `of`: their runs become its own. Of two by one key the one that is further
 * stays, but where everybody is taken every time.
 */
export function merge(
  { facts }: Pick<Interpreted, 'facts'>,
  { survivor, other }: { survivor: Followed; other: Followed },
  { at, placeOf, brought, deeds, apart, told }: Merging,
): void {
  for (const story of liveOf(survivor)) story.others = new Set([...(story.others ?? []), ...deeds.byOther])
  for (const story of liveOf(other)) story.others = new Set([...(story.others ?? []), ...deeds.bySurvivor])
  for (const own of [apart, told]) {
    if (!own) continue
    for (const story of liveOf(survivor)) setApart(story, own.byOther)
    for (const story of liveOf(other)) setApart(story, own.bySurvivor)
  }
  for (const story of other.stories) story.of = { ...story.of, facts }
  const isOwn = new Set(survivor.stories)
  survivor.stories.push(...other.stories)
  survivor.stories.sort((one, next) => placeOf(one) - placeOf(next))
  const single = liveOf(survivor).filter((story) => story.of.definition.enter.again.mode !== 'every')
  for (const [first, ...more] of Map.groupBy(single, ({ run }) => run.entryKey).values()) {
    const further = (one: Story, than: Story) =>
      one.run.visit > than.run.visit || (one.run.visit === than.run.visit && isOwn.has(one) && !isOwn.has(than))
    const stays = more.reduce((best, one) => (further(one, best) ? one : best), first!)
    for (const story of [first!, ...more])
      if (story !== stays) endStory(survivor, story, { end: { state: 'exited', reason: 'merged' } })
  }
  for (const [key, { entries, enteredAt }] of other.ledger) {
    const own = survivor.ledger.get(key)
    const last = Math.max(enteredAt, own?.enteredAt ?? enteredAt)
    survivor.ledger.set(key, { entries: entries + (own?.entries ?? 0), enteredAt: last })
  }
  // The last of each key is the one that is told.
  for (const [key, theirs] of Map.groupBy(other.refusals, ({ entryKey }) => entryKey)) {
    const own = survivor.refusals.findLast(({ entryKey }) => entryKey === key)
    if (own !== undefined && own.at >= theirs.at(-1)!.at) survivor.refusals.unshift(...theirs)
    else survivor.refusals.push(...theirs)
  }
  survivor.effects.push(...other.effects.filter(({ kind }) => kind !== 'tag' && kind !== 'field'), ...brought)
  Object.assign(other, { stories: [], effects: [], refusals: [], ledger: new Map() })
  if (!apart) reckonAnew(survivor, liveOf(survivor), at)
}

function setApart(story: Story, positions: readonly number[]): void {
  story.apart = { visit: story.run.visit, positions: new Set([...(story.apart?.positions ?? []), ...positions]) }
}
