import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { REFUSAL } from './refusal.ts'

/**
 * Reasons why a broadcast would not be sent to a contact now, as they are asked when a message is made (`REFUSAL`): by the topics that it may
 * be of, where null is none. Null: it would.
 */
export async function contactRefusals(
  tx: Transaction,
  workspaceId: string,
  { contactId, topicIds }: { contactId: string; topicIds: readonly (string | null)[] },
): Promise<ReadonlyMap<string | null, string | null>> {
  const { rows } = await tx.query<{ topicId: string | null; refusal: string | null }>({
    name: 'refusals_of_contact',
    text: `with given as materialized (
        select c.workspace_id, 'marketing' as purpose, 'broadcast' as source_kind, 0::bigint as source_id, t.id as topic_id,
          c.id as contact_id, coalesce(lower(c.email), '') as destination
        from contacts c cross join unnest($3::int8[]) as t(id) where c.workspace_id = $1 and c.id = $2
      ) select m.topic_id as "topicId", ${REFUSAL} as refusal from given m`,
    values: [workspaceId, contactId, int8Array(topicIds)],
  })
  return new Map(rows.map(({ topicId, refusal }) => [topicId, refusal]))
}
