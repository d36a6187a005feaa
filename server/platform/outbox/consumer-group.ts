import type { Transaction } from '../db/transaction.ts'
import type { Reach } from '../epoch/held.ts'
import type { Range } from './range.ts'

/**
 * A consumer group reads the whole log once, in stretches. For each stretch, in one transaction: lock the group's cursor,
 * pick a range, let the handler write its effects, move the cursor, commit. So effects and cursor stand or fall together,
 * and only one process works for a group at a time, any of them taking over when it is gone.
 *
 * A stretch that fails is halved until it succeeds or is one row. That row is tried ATTEMPTS_MAX times and then parked
 * with its error, and the group goes on behind it. A single row that takes longer than a statement may is tried as often.
 * Groups that stand behind it park the row untried, and it is theirs as soon as the first has handled it after all (parked.ts).
 */
export type ConsumerGroup = {
  group: string
  handler: string
  /** Nobody waits for its effects: while rows keep coming it lets them gather, for the cost of a stretch (run-groups.ts). */
  gathers?: boolean
  /** Handles no event that this group has not handled: what that one writes of it is there. */
  behind?: string
  /** Absent, its effects may reach the world outside, and it waits while the installation is held. */
  reach?: Reach
  /** Writes the effects of a range in `tx`. */
  handle(tx: Transaction, range: Range): Promise<void>
}
