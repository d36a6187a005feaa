import type { Transaction } from '../../../platform/db/transaction.ts'
import { recordSystemAudit } from '../../audit/record-audit.ts'
import { type BroadcastKey, lockBroadcast } from '../queries.ts'
import { markScheduled } from './progress-queries.ts'
import { entryOf } from './start-broadcast.ts'

/** Makes a draft again of a broadcast that is scheduled, and notes why. False when it is not as it was `seen` any more, by its `updatedAt`. */
export async function takeBackScheduled(
  tx: Transaction,
  key: BroadcastKey,
  { reason, seen }: { reason: string; seen: string },
): Promise<boolean> {
  const before = await lockBroadcast(tx, key)
  if (before?.status !== 'scheduled' || before.updatedAt !== seen) return false
  await markScheduled(tx, key, null)
  const { diff, ...entry } = entryOf('unschedule', before, 'draft')
  await recordSystemAudit(tx, key.workspaceId, { ...entry, diff: { ...diff, reason: { from: null, to: reason } } })
  return true
}
