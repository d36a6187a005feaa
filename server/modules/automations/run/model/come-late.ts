import {
  type Followed,
  fireTimers,
  type Happening,
  hear,
  inOrder,
  letIn,
  liveOf,
  type Story,
  type Wish,
} from './follow.ts'
import type { Interpreted, Micros } from './model-run.ts'

/** Wishes of a contact to come in as of moments that are over by `at`, and all that has happened to it by then. */
export type Late = { at: Micros; wishes: readonly Wish[]; before: readonly Happening[] }

/**
 * Brings somebody in by wishes that are late, the oldest first: whoever came in so hears all that has happened since, and their
 * timers are over, before the next one is gone through.
 */
export function comeLate(of: Interpreted, followed: Followed, { at, wishes, before }: Late): void {
  const begun: Story[] = []
  const alone = { ...followed, stories: begun }
  const isWish = new Set<Happening>(wishes)
  for (const one of inOrder([...before, ...wishes])) {
    if (one.at > at) break
    fireTimers(alone, one.at - 1)
    if (isWish.has(one)) {
      const story = letIn(of, followed, one)
      if (story) begun.push(story)
    } else for (const story of liveOf(alone)) hear(followed, story, one)
  }
  fireTimers(alone, at)
}
