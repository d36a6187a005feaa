import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { recordSystemAudit } from '../../audit/record-audit.ts'
import { setStreamState } from '../../sending/streams.ts'
import { type BroadcastKey, lockBroadcast } from '../queries.ts'
import { markScheduled, moveStatus } from './progress-queries.ts'
import { entryOf } from './start-broadcast.ts'

/**
 * Has no broadcast of a restored database begin or go on by itself: one whose time came before the installation was held
 * is a draft again, one with people who are not in the ledger yet is paused. Both may have been sent after the backup.
 * Returns how many there were.
 */
export async function stopRestored(pool: pg.Pool, heldSince: string): Promise<number> {
  const keys = await queryInScope<BroadcastKey>(pool, ALL_WORKSPACES, {
    text: `select workspace_id as "workspaceId", id from broadcasts
      where (status = 'scheduled' and scheduled_at <= $1)
        or (status = 'sending' and started_at <= $1 and (planned_at is null or redo is not null))
      order by workspace_id, id`,
    values: [heldSince],
  })
  for (const key of keys) await stop(pool, key)
  return keys.length
}

async function stop(pool: pg.Pool, key: BroadcastKey): Promise<void> {
  const { workspaceId } = key
  await inTransaction(pool, workspaceId, async (tx) => {
    const row = await lockBroadcast(tx, key)
    if (row?.status === 'scheduled') {
      await markScheduled(tx, key, null)
      await recordSystemAudit(tx, workspaceId, entryOf('unschedule', row, 'draft'))
    } else if (row?.status === 'sending' && row.streamId !== null) {
      await setStreamState(tx, { workspaceId, streamId: row.streamId, state: 'paused' })
      await moveStatus(tx, key, { from: ['sending'], to: 'paused' })
      await recordSystemAudit(tx, workspaceId, entryOf('pause', row, 'paused'))
    }
  })
}
