import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * A writer of what names topics holds these until the transaction ends: none of them is deleted before what names it is there to be
 * found. Answers the ids that are of no topic. Segments are locked after them, as by a deletion.
 */
export async function holdTopics(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ id: string }>({
    name: 'hold_topics',
    text: `select id from topics where workspace_id = $1 and id = any ($2::int8[]) and deleted_at is null
      order by id for key share`,
    values: [workspaceId, int8Array(ids)],
  })
  const held = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !held.has(id))
}
