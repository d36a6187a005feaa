import { unprocessable } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'
import type { Caller } from '../../auth/caller.ts'

/** The automations that name a custom field, in their draft or in a version, named for a person. */
export async function automationsNamingField(tx: Transaction, workspaceId: string, key: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'automations_naming_field',
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and exists (
        select from (
          select a.draft as text
          union all
          select v.definition from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id) d
        where strpos(d.text, $2) > 0 or exists (
          select from jsonb_each(d.text::jsonb -> 'nodes') n
          where n.value ->> 'type' = 'field' and n.value -> 'set' ? $3
            or n.value -> 'for' @> jsonb_build_array(jsonb_build_object('date', $3::text)))
          or (d.text::jsonb #> '{enter,on}') @> jsonb_build_array(jsonb_build_object('date', $3::text)))
      order by a.id`,
    values: [workspaceId, JSON.stringify(`custom:${key}`), key],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}

/**
 * Refuses to rename a custom field that an automation names: a version never changes, and people in it would go by a rule that nobody
 * meant. Throws a 422 that names one.
 */
export async function refuseRename(tx: Transaction, caller: Caller, { from }: { from: string }): Promise<void> {
  const [automation] = await automationsNamingField(tx, caller.workspaceId, from)
  if (!automation) return
  const detail = `stays as it is while the automation “${automation.name}” (${automation.id}) names it: stop that one first`
  throw unprocessable([{ pointer: '/key', detail }])
}
