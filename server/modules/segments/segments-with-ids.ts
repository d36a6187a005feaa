import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { Segment } from './schemas.ts'

export type Rule = Pick<Segment, 'id' | 'name' | 'definition'>

/** Those of these segments that the workspace has; `held`: nobody changes them before the transaction ends. */
export async function segmentsWithIds(
  tx: Queryable,
  workspaceId: string,
  { ids, held }: { ids: readonly string[]; held: boolean },
): Promise<Rule[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<Rule>({
    name: held ? 'hold_rules_of_segments' : 'rules_of_segments',
    text: `select s.id, s.name, s.definition from segments s where s.workspace_id = $1 and s.id = any ($2::int8[])
      order by s.id ${held ? 'for share' : ''}`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}
