import type { Transaction } from '../../platform/db/transaction.ts'
import { addSuppressions, type NewSuppression } from './queries.ts'

/** Lists addresses (normalised) that must not be mailed because somebody said so. Those listed already stay as they are. */
export async function suppressAddresses(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<void> {
  await addSuppressions(
    tx,
    workspaceId,
    addresses.map((destination) => ({ destination, reason: 'manual' as const, detail: null })),
  )
}

/** Lists addresses again that a restored database does not know any more, for what they were listed; answers how many. */
export function suppressAgain(
  tx: Transaction,
  workspaceId: string,
  suppressions: readonly NewSuppression[],
): Promise<number> {
  return addSuppressions(tx, workspaceId, suppressions)
}
