import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { WATCH_EVERY_SECONDS, WATCH_SEGMENT, type WatchKey } from './watch-segment.ts'

/** Looks that one round asks for; whatever is due beyond comes with the next. */
const ROUND_MAX = 1_000

/** The schedule `watch_segments`: has each watched segment looked at that is due. Those beyond a round
 * come first in the next, whatever becomes of the looks. */
export async function askForLooks(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const { rows } = await tx.query<WatchKey>({
      name: 'due_segment_watches',
      text: `with due as (
          select workspace_id, segment_id from segment_watches where next_check_at <= now()
          order by next_check_at limit ${ROUND_MAX} for update skip locked
        )
        update segment_watches w set next_check_at = now() + make_interval(secs => ${WATCH_EVERY_SECONDS})
        from due where w.workspace_id = due.workspace_id and w.segment_id = due.segment_id
        returning w.workspace_id as "workspaceId", w.segment_id as "segmentId"`,
    })
    const looks = rows.map((payload) => ({ payload }))
    if (looks.length > 0) await enqueueAll(tx, WATCH_SEGMENT, looks)
  })
}
