import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'

/** The automations with a rule about a topic, in their draft or in a version, named for a person. */
export async function automationsNamingTopic(tx: Transaction, workspaceId: string, topicId: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'automations_naming_topic',
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and exists (
        select from (
          select a.draft as text
          union all
          select v.definition from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id) d
        where strpos(d.text, '"topic"') > 0 and exists (
          select from jsonb_path_query(d.text::jsonb, 'strict $.** ? (@.field == "topic").value') given
          where given::text ~ ('(^|[^0-9])' || $2 || '([^0-9]|$)')))
      order by a.id`,
    values: [workspaceId, topicId],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}
