import { advance } from './advance.ts'
import { type Followed, fireTimers, type Happening, hear, inOrder, note, type Story } from './follow.ts'
import type { Micros } from './model-run.ts'

/** `isSkipped`: it goes past the node that it is parked at, undone. */
export type TakenUp = { story: Story; isSkipped: boolean }

/** Takes up those of some runs that are parked; they are tried in a while, as in a pause, or at once. */
export function takeUp(followed: Followed, stories: readonly Story[], isSkipped: boolean): TakenUp[] {
  const parked = stories.filter(({ run }) => run.state === 'parked')
  for (const story of parked) note(followed, story, { run: { ...story.run, state: 'ready' }, steps: [], effects: [] })
  return parked.map((story) => ({ story, isSkipped }))
}

/** All that has happened to a contact by a moment. */
export type Since = { at: Micros; before: readonly Happening[] }

/**
 * Has runs that were taken up go on, as of when they came to where they are parked: the one that came first is the first, and each comes by all
 * that has happened since.
 */
export function tryAgain(followed: Followed, taken: readonly TakenUp[], since: Since): void {
  const own = taken.filter(({ story }) => followed.stories.includes(story) && story.run.state === 'ready')
  for (const { story, isSkipped } of own.toSorted((one, other) => one.story.run.at - other.story.run.at)) {
    note(followed, story, advance(story.of, story.run, { kind: 'again', isSkipped }))
    catchUp(followed, story, since)
  }
}

function catchUp(followed: Followed, story: Story, { at, before }: Since): void {
  const alone = { ...followed, stories: [story] }
  for (const one of inOrder(before)) {
    if (one.at > at) break
    if (one.at < story.run.at) continue
    fireTimers(alone, one.at - 1)
    // Exits and goals had been looked for when it was parked.
    hear(followed, story, story.others?.has(one.position) ? { ...one, isApart: true } : one)
  }
}
