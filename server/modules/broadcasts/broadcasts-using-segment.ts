import type { Transaction } from '../../platform/db/transaction.ts'
import type { Use } from '../../platform/problem.ts'

/**
 * The broadcasts still to come that a segment has a part in, named for a person: until their audience is frozen it cannot
 * be deleted.
 */
export async function broadcastsUsingSegment(tx: Transaction, workspaceId: string, segmentId: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'broadcasts_using_segment',
    text: `select b.id, b.name from broadcasts b
      where b.workspace_id = $1 and b.recipients_total is null and b.status in ('draft', 'scheduled', 'sending', 'paused')
        and $2::bigint = any (b.segment_ids || b.excluded_segment_ids)
      order by b.id`,
    values: [workspaceId, segmentId],
  })
  return rows.map((row) => ({ type: 'broadcast', ...row }))
}
