import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'

/** The automations whose draft or version in force asks for a segment, named for a person: it cannot be deleted. */
export async function automationsUsingSegment(tx: Transaction, workspaceId: string, segmentId: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'automations_using_segment',
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and ($2::bigint = any (a.segment_ids) or exists (
        select from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id
          and $2::bigint = any (v.segment_ids)))
      order by a.id`,
    values: [workspaceId, segmentId],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}
