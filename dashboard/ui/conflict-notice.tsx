import { Button } from './controls.tsx'
import { Notice } from './notice.tsx'

/** Somebody else was faster (412): what was typed stays, and one chooses whose holds. */
export function ConflictNotice({
  what,
  busy,
  onMine,
  onTheirs,
}: {
  what: string
  busy: boolean
  onMine: () => void
  onTheirs: () => void
}) {
  return (
    <div role="alert">
      <Notice
        tone="warn"
        actions={
          <>
            <Button small disabled={busy} onClick={onTheirs}>
              Take theirs
            </Button>
            <Button small busy={busy} onClick={onMine}>
              Save mine over it
            </Button>
          </>
        }
      >
        Somebody else has changed {what} since you opened it. What you typed is still here.
      </Notice>
    </div>
  )
}
