import type { SaveState } from '../lib/use-draft.ts'
import { ConflictNotice, Notice } from './notice.tsx'
import { RelativeTime } from './relative-time.tsx'

/** Where the saving of a draft stands, in a word beside its name. */
export function SaveMark({ state }: { state: SaveState }) {
  return (
    <span className="soft" role="status">
      {state.is === 'saved' ? (
        <>
          Saved <RelativeTime at={new Date(state.at).toISOString()} />
        </>
      ) : (
        WORDS[state.is]
      )}
    </span>
  )
}

const WORDS = {
  unsaved: 'Not saved yet',
  saving: 'Saving',
  refused: 'Not saved: see below',
  waiting: 'The server is away. Kept in this browser, tried again',
  conflict: 'Not saved: somebody else changed it',
} as const

/** What has to be decided before saving can go on. */
export function SaveNotice({
  state,
  isRestored,
  onResolve,
}: {
  state: SaveState
  isRestored: boolean
  onResolve: (as: 'mine' | 'theirs') => void
}) {
  if (state.is === 'conflict') {
    return (
      <ConflictNotice mine="Keep mine" onMine={() => onResolve('mine')} onTheirs={() => onResolve('theirs')}>
        Somebody else has changed this while you were writing. Keep what you wrote, field by field, or take what is
        there.
      </ConflictNotice>
    )
  }
  if (isRestored && state.is !== 'saved') {
    return <Notice>What you wrote here last time had not reached the server. It is back.</Notice>
  }
  return null
}
