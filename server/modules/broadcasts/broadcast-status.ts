import { wrongStatus } from '../../catalogue/problems.ts'
import type { BroadcastStatus } from './schemas.ts'

/**
 * Where a broadcast stands, and where it may go:
 *
 *     draft ⇄ scheduled → sending ⇄ paused         sent → sending, when failed messages are tried again
 *       └───────────────────┘ │ └──→ sent          scheduled, sending, paused → canceled
 *                             └→ failed → draft    failed: nobody was written to
 *
 * Throws 409 unless it is in one of `allowed`; `done` says what happens only then, as in "only a draft is changed".
 */
export function requireStatus(
  { status }: { status: BroadcastStatus },
  allowed: readonly BroadcastStatus[],
  done: string,
): void {
  if (!allowed.includes(status)) throw wrongStatus(`It is ${status}; only a ${allowed.join(' or ')} one ${done}.`)
}
