import { endStory } from './end-story.ts'
import { type Followed, liveOf } from './follow.ts'

/** Ends the runs of somebody who is erased where they stand; nobody knows any more that they came in. */
export function forget(followed: Followed): void {
  for (const story of liveOf(followed)) endStory(followed, story, { end: { state: 'erased', reason: null } })
  followed.ledger.clear()
}
