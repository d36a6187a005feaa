import { type Followed, liveOf, note, type Story } from './follow.ts'
import type { End, Micros } from './model-run.ts'

/** Ends a run where it stands, by nothing that has happened to its contact; by its own clock, or later. */
export function endStory(followed: Followed, story: Story, { end, at }: { end: End; at?: Micros }): void {
  const { visit, node, at: cameAt, position } = story.run
  const leftAt = Math.max(cameAt, at ?? cameAt)
  note(followed, story, {
    run: { ...story.run, state: 'ended', at: leftAt, dueAt: null, endAt: null, end },
    steps: [{ visit, node, way: `exit:${end.reason ?? end.state}`, next: null, cameAt, leftAt, position }],
    effects: [],
  })
}

/** Ends all runs of somebody by hand, at a moment. */
export function leaveByHand(followed: Followed, at: Micros): void {
  for (const story of liveOf(followed)) endStory(followed, story, { at, end: { state: 'exited', reason: 'by_hand' } })
}

/** Ends all runs of somebody with their automation, each where it stands. */
export function stop(followed: Followed): void {
  for (const story of liveOf(followed)) endStory(followed, story, { end: { state: 'exited', reason: 'stopped' } })
}
