import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { WATCH_SEGMENT, type WatchKey } from './watch-segment.ts'

/** Looks that one round asks for; whatever is due beyond comes with the next. */
const ROUND_MAX = 1_000

/** The schedule `watch_segments`: has each watched segment looked at that is due. */
export async function askForLooks(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const { rows } = await tx.query<WatchKey>({
      name: 'due_segment_watches',
      text: `select workspace_id as "workspaceId", segment_id as "segmentId" from segment_watches
        where next_check_at <= now() order by next_check_at limit ${ROUND_MAX}`,
    })
    const looks = rows.map((payload) => ({ payload }))
    if (looks.length > 0) await enqueueAll(tx, WATCH_SEGMENT, looks)
  })
}
