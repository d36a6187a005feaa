import type pg from 'pg'
import { notFound, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { type BroadcastKey, type BroadcastState, broadcastState, lockBroadcast } from '../queries.ts'

/** Of one change. A broadcast moves a few times in its life: more in a row than this has never been seen. */
const ATTEMPTS = 5

/** A broadcast that moved on after it was read, and before it was locked. */
class Moved extends Error {}

/**
 * Carries out a change that depends on where a broadcast stands, with its row as it was read. The row is locked last, after
 * the stream that it names (see `advance-broadcast.ts`), so it may move in between: then all is rolled back and begins anew.
 * `work` calls `lockSeen` before it changes the row. Throws 404, and 409 where it keeps moving.
 */
export async function changeUnmoved<T>(
  { sql }: { sql: pg.Pool },
  key: BroadcastKey,
  work: (tx: Transaction, seen: BroadcastState) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await inTransaction(sql, key.workspaceId, async (tx) => {
        const seen = await broadcastState(tx, key)
        if (!seen) throw notFound()
        return work(tx, seen)
      })
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  }
  throw wrongStatus('It is moving on just now: do it again.')
}

/** Locks the row of a broadcast, which then stands as it was seen until the transaction ends. Throws 404, and `Moved`. */
export async function lockSeen(tx: Transaction, key: BroadcastKey, seen: BroadcastState): Promise<BroadcastState> {
  const row = await lockBroadcast(tx, key)
  if (!row) throw notFound()
  if (row.status !== seen.status || row.streamId !== seen.streamId) throw new Moved(`it was ${seen.status}`)
  return row
}
