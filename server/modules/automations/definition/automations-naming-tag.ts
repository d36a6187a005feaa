import { unprocessable } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'
import type { Caller } from '../../auth/caller.ts'

/** The automations with a step or a rule about a tag, in their draft or in a version, named for a person. */
export async function automationsNamingTag(tx: Transaction, workspaceId: string, name: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'automations_naming_tag',
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and exists (
        select from (
          select a.draft as text
          union all
          select v.definition from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id) d
        where strpos(lower(d.text), lower($2)) > 0 and exists (
          select from jsonb_path_query(d.text::jsonb, 'strict $.** ? (@.field == "tag").value') given,
            lateral (
              select given #>> '{}' as named
              union all
              select jsonb_array_elements_text(case jsonb_typeof(given) when 'array' then given else '[]' end)
              union all
              select replace(one, '\\,', ',') from regexp_split_to_table(given #>> '{}', '(?<!\\\\),') one) names
          where lower(trim(named)) = lower($3)
          union all
          select from jsonb_path_query(d.text::jsonb, '$.nodes.* ? (@.type == "tag")') node,
            jsonb_path_query(coalesce(node -> 'add', '[]') || coalesce(node -> 'remove', '[]'), '$[*]') given
          where lower(trim(given #>> '{}')) = lower($3)))
      order by a.id`,
    values: [workspaceId, JSON.stringify(name).slice(1, -1), name],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}

/** Refuses to rename a tag that an automation names, as a custom field: it would give and ask for another. Throws a 422 that names one. */
export async function refuseTagRename(tx: Transaction, caller: Caller, { from }: { from: string }): Promise<void> {
  const [automation] = await automationsNamingTag(tx, caller.workspaceId, from)
  if (!automation) return
  const detail = `stays as it is while the automation “${automation.name}” (${automation.id}) names it: stop that one first`
  throw unprocessable([{ pointer: '/name', detail }])
}
