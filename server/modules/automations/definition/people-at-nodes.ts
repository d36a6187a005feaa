import type { Transaction } from '../../../platform/db/transaction.ts'
import type { AutomationKey } from './queries.ts'

/** How many stand at a node of a version. */
export type PeopleAtNode = { version: number; node: string; people: number }

/** Where people are, as the sums have it: exact while nobody is moved. */
export async function peopleAtNodes(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<PeopleAtNode[]> {
  const { rows } = await tx.query<PeopleAtNode>({
    name: 'people_at_nodes',
    text: `select version, node, sum(case when kind = 'entered' then total else -total end)::float8 as people
      from node_totals where workspace_id = $1 and automation_id = $2 and node <> ''
      group by 1, 2 having sum(case when kind = 'entered' then total else -total end) > 0 order by 1, 2`,
    values: [workspaceId, id],
  })
  return rows
}
