import type { Queryable } from '../db/transaction.ts'

/** As long as a group that no process has any more holds its part of the log: a release may have to be taken back. */
const FORGOTTEN_AFTER_DAYS = 7

/**
 * `from` the cursors of groups that are read, and how far they are. The cursor of one that a release has dropped stays, and
 * nothing is kept for it or waits for it.
 */
export const READERS = `(select consumer_group, tx, position from outbox_cursors
  where seen_at > now() - interval '${FORGOTTEN_AFTER_DAYS} days')`

/** Notes that a process has these groups. One that is at work just now notes it with its cursor. */
export async function noteGroups(db: Queryable, groups: readonly string[]): Promise<void> {
  await db.query(
    `update outbox_cursors set seen_at = now() where consumer_group = any (array(
       select consumer_group from outbox_cursors where consumer_group = any ($1::text[]) for update skip locked))`,
    [groups],
  )
}
