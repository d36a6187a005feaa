import { type Followed, liveOf, note } from './follow.ts'

/** Ends the runs of somebody who is erased where they stand; nobody knows any more that they came in. */
export function forget(followed: Followed): void {
  for (const story of liveOf(followed)) {
    const { visit, node, at, position } = story.run
    const end = { state: 'erased', reason: null } as const
    note(followed, story, {
      run: { ...story.run, state: 'ended', dueAt: null, endAt: null, end },
      steps: [{ visit, node, way: 'exit:erased', next: null, cameAt: at, leftAt: at, position }],
      effects: [],
    })
  }
  followed.ledger.clear()
}
