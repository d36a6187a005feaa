import { type Moving, placeIn } from '../../definition/places.ts'
import { changeVersion } from './advance.ts'
import { type Followed, fireTimers, type Happening, hear, inOrder, liveOf, note, type Story } from './follow.ts'
import type { Interpreted, Micros } from './model-run.ts'

/** `before`: all that has happened to the contact by then. `those`: the runs that are meant. */
export type Publishing = { at: Micros; moving: Moving; before: readonly Happening[]; those: readonly Story[] }

/** The runs that a version is to take along, as they stand. */
export const meantBy = ({ nodes }: Moving, followed: Followed): Story[] =>
  liveOf(followed).filter(({ run }) => nodes === null || nodes.includes(run.node))

/**
 * Publishes a version to one contact: those of its runs that are meant come into it, one after the other. Such a run
 * then hears all that has happened since its entry anew, with the ears of that version.
 */
export function publish(of: Interpreted, followed: Followed, { at, moving, before, those }: Publishing): void {
  for (const story of those) {
    const place = placeIn(of.definition, moving, story.run.node)
    if (place === undefined || story.run.state === 'ended') continue
    note(followed, story, changeVersion(of, story.run, { at, place }))
    story.of = of
    story.apart = undefined
    story.others = undefined
    hearAnew(followed, story, { at, before })
  }
}

function hearAnew(followed: Followed, story: Story, { at, before }: Pick<Publishing, 'at' | 'before'>): void {
  const alone = { ...followed, stories: [story] }
  for (const happening of inOrder(before)) {
    if (happening.name === null || happening.at > at) continue
    fireTimers(alone, happening.at - 1)
    hear(followed, story, happening)
  }
  fireTimers(alone, at)
}
