import type { Automation } from '../../lib/site-types.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Since when nobody goes on, by whom, and what becomes of those who wait. */
export function PausedNotice({ automation: { pausedAt, pausedBy } }: { automation: Automation }) {
  if (pausedAt === null) return null
  return (
    <Notice tone="warn">
      Paused since <RelativeTime at={pausedAt} absolute />
      {pausedBy !== null && ` by ${pausedBy}`}. Waits run on, but nobody goes on when theirs ends, no mail goes out, and
      whoever wants to come in waits; reasons to leave still act. Whoever resumes it chooses whether all waits are put
      off by the pause or what came due is done at once.
    </Notice>
  )
}
