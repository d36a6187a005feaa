import type { Transaction } from '../../platform/db/transaction.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { ALIAS_HASHES, aliasValues } from './queries.ts'

/** Whether somebody who had one of the aliases was erased since a moment (RFC 3339). Few are: an index by the time finds them. */
export async function wasErasedSince(
  tx: Transaction,
  workspaceId: string,
  { aliases, since }: { aliases: Aliases; since: string },
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'was_erased_since',
    text: `select from erasures where workspace_id = $1::bigint and requested_at >= $5::timestamptz
      and alias_hashes && ${ALIAS_HASHES} limit 1`,
    values: [workspaceId, ...aliasValues(aliases), since],
  })
  return rows.length > 0
}
