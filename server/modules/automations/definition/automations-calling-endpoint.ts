import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'

/**
 * The automations with a step that calls an endpoint, in their draft, in the version in force, or in one that people are in, named for
 * a person: it cannot be deleted. Texts without the number are not read.
 */
export async function automationsCallingEndpoint(
  tx: Transaction,
  workspaceId: string,
  endpointId: string,
): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'automations_calling_endpoint',
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and (${calls('a.draft')} or exists (
        select from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id and ${calls('v.definition')}
          and (v.version = a.published_version or (
            select sum(case when kind = 'entered' then total else -total end) from node_totals t
            where t.workspace_id = $1 and t.automation_id = a.id and t.version = v.version and t.node <> '') > 0)))
      order by a.id`,
    values: [workspaceId, endpointId],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}

const calls = (column: string) => `strpos(${column}, $2) > 0 and exists (
  select from json_each(${column}::json -> 'nodes') node
  where node.value ->> 'type' = 'webhook' and node.value ->> 'endpoint' = $2)`
