import type pg from 'pg'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { recordSystemAudit } from '../../audit/record-audit.ts'
import { emitEvents } from '../../domain-events/emit-events.ts'
import { totalsOf } from '../../sending/ledger/read-totals.ts'
import { type BroadcastKey, lockBroadcast } from '../queries.ts'
import { broadcastEvent } from './broadcast-events.ts'
import { markFailed, moveStatus } from './progress-queries.ts'

/**
 * Says that a broadcast is sent, if it is: its whole audience is in the ledger, nothing is to be done again, and none of
 * its messages is pending. It is not when the ledger has not as many as were frozen. Called in the transactions that may
 * make it true, each of which holds the broadcast's row: of two that end at once, the later one sees both.
 */
export async function finishWhenDone(tx: Transaction, key: BroadcastKey): Promise<boolean> {
  const row = await lockBroadcast(tx, key)
  if (!row || (row.status !== 'sending' && row.status !== 'paused')) return false
  if (row.plannedAt === null || row.redo !== null) return false
  // A statement of its own, after the lock: it sees what the one who held it has committed.
  const totals = (await totalsOf(tx, key.workspaceId, [key.id])).get(key.id)!
  if (totals.states.pending > 0 || String(totals.recipients) !== row.recipientsTotal) return false
  await moveStatus(tx, key, { from: ['sending', 'paused'], to: 'sent' })
  await emitEvents(tx, key.workspaceId, [broadcastEvent('broadcast.finished', key, { ...row, status: 'sent' })])
  await recordSystemAudit(tx, key.workspaceId, {
    action: 'broadcast.finish',
    target: { type: 'broadcast', id: key.id, name: row.name },
    diff: { status: { from: row.status, to: 'sent' } },
  })
  return true
}

/** Why a broadcast is given up; `seen`: only as it was when it was judged, by its `updatedAt`. */
export type Failing = { failure: string; seen?: string }

/** Gives up a broadcast that nobody was written to of yet. */
export async function failBroadcast(
  deps: { pool: pg.Pool },
  key: BroadcastKey,
  { failure, seen }: Failing,
): Promise<void> {
  const { workspaceId } = key
  await inTransaction(deps.pool, workspaceId, async (tx) => {
    const row = await lockBroadcast(tx, key)
    const isOpen = row?.status === 'scheduled' || row?.status === 'sending' || row?.status === 'paused'
    if (!row || !isOpen || row.recipientsTotal !== null) return
    if (seen !== undefined && row.updatedAt !== seen) return
    await markFailed(tx, key, failure)
    await emitEvents(tx, workspaceId, [broadcastEvent('broadcast.finished', key, { ...row, status: 'failed' })])
    await recordSystemAudit(tx, workspaceId, {
      action: 'broadcast.fail',
      target: { type: 'broadcast', id: key.id, name: row.name },
      diff: { status: { from: row.status, to: 'failed' }, failure: { from: null, to: failure } },
    })
  })
}
