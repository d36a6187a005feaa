import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { storedVariables, type Variables } from './variables.ts'

export type Visit = { runId: string; visit: number }

export const visitKey = ({ runId, visit }: Visit) => `${runId}/${visit}`

/** The variables that runs had at visits, as their traces have them, by `visitKey`; of whoever had none there is nothing. */
export async function variablesAt(
  tx: Transaction,
  workspaceId: string,
  visits: readonly Visit[],
): Promise<ReadonlyMap<string, Variables>> {
  if (visits.length === 0) return new Map()
  const { rows } = await tx.query<Visit & { kept: string }>({
    name: 'variables_at_visits',
    text: `select s.run_id as "runId", s.visit, (s.seen -> 'variables')::text as kept
      from unnest($2::int8[], $3::int8[]) as g(run_id, visit)
      join run_steps s on s.workspace_id = $1 and s.run_id = g.run_id and s.visit = g.visit
      where s.seen ? 'variables'`,
    values: [
      workspaceId,
      int8Array(visits.map(({ runId }) => runId)),
      int8Array(visits.map(({ visit }) => String(visit))),
    ],
  })
  return new Map(rows.map((row) => [visitKey(row), storedVariables(row.kept)]))
}
