import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { ofContact } from '../message-source.ts'

export type MergedContacts = { workspaceId: string; mergedIds: readonly string[]; survivorIds: readonly string[] }

/**
 * Gives messages of merged contacts to the survivors, and returns how many: all that are still to be sent, for mail to a contact
 * that is gone is not, and of the others the next `limit`. Where both were recipients of one broadcast, each keeps its message:
 * one still to be sent is not, so that the person gets one.
 */
export async function moveMessages(tx: Transaction, merged: MergedContacts, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'move_messages',
    text: `with movable as materialized (
        select distinct on (w.survivor_id, case when m.source_kind = 'broadcast' then m.source_id else -m.id end, m.created_at) m.id, m.created_at, w.survivor_id,
          m.state = 'pending' as is_open
        from messages m join unnest($2::int8[], $3::int8[]) as w(merged_id, survivor_id) on w.merged_id = m.contact_id
        where m.workspace_id = $1 and ${ofContact('= any ($2::int8[])')} and (m.source_kind <> 'broadcast' or not exists (
          select from messages o where o.workspace_id = $1 and o.contact_id = w.survivor_id
            and o.source_kind = 'broadcast' and o.source_id = m.source_id and o.created_at = m.created_at))
      ), taken as (
        select * from movable where is_open union all (select * from movable where not is_open limit $4)
      )
      update messages m set contact_id = taken.survivor_id from taken
      where m.workspace_id = $1 and m.id = taken.id and m.created_at = taken.created_at`,
    values: [merged.workspaceId, int8Array(merged.mergedIds), int8Array(merged.survivorIds), limit],
  })
  return rowCount ?? 0
}
