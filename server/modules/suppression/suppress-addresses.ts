import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Lists addresses (normalised) that must not be mailed because somebody said so. What is listed stays as it is. */
export async function suppressAddresses(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  await tx.query({
    name: 'suppress_addresses',
    text: `insert into suppressions (workspace_id, destination, reason)
      select distinct $1::bigint, address, 'manual' from unnest($2::text[]) address order by address
      on conflict (workspace_id, destination) do nothing`,
    values: [workspaceId, textArray(addresses)],
  })
}
