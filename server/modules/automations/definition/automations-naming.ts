import { unprocessable } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Use } from '../../../platform/problem.ts'
import type { Caller } from '../../auth/caller.ts'

/** The automations that name a custom field, in their draft or in a version, named for a person. */
export function automationsNamingField(tx: Transaction, workspaceId: string, key: string): Promise<Use[]> {
  const holds = `strpos(d.text, $2) > 0 or exists (
      select from jsonb_each(d.text::jsonb -> 'nodes') n
      where n.value ->> 'type' = 'field' and n.value -> 'set' ? $3
        or n.value -> 'for' @> jsonb_build_array(jsonb_build_object('date', $3::text)))
      or (d.text::jsonb #> '{enter,on}') @> jsonb_build_array(jsonb_build_object('date', $3::text))`
  return automationsNaming(tx, workspaceId, { what: 'field', holds, values: [JSON.stringify(`custom:${key}`), key] })
}

/** The automations with a rule about a topic, in the same way. */
export function automationsNamingTopic(tx: Transaction, workspaceId: string, topicId: string): Promise<Use[]> {
  const holds = `strpos(d.text, '"topic"') > 0 and exists (
      select from jsonb_path_query(d.text::jsonb, 'strict $.** ? (@.field == "topic").value') given
      where given::text ~ ('(^|[^0-9])0*' || $2 || '([^0-9]|$)'))`
  return automationsNaming(tx, workspaceId, { what: 'topic', holds, values: [topicId] })
}

/**
 * The automations with a step or a rule about a tag, or with a filter on the events by which somebody gets or loses one, whatever the case of
 * its letters, in the same way. Such a filter alone tells letters of another case apart: `inFilters` are those with one.
 */
export function automationsNamingTag(
  tx: Transaction,
  workspaceId: string,
  name: string,
  { inFilters = false } = {},
): Promise<Use[]> {
  const elsewhere = inFilters ? 'false' : 'true'
  const holds = `strpos(lower(d.text), lower($2)) > 0 and exists (
      select from (
          select jsonb_path_query(d.text::jsonb, 'strict $.** ? (@.field == "tag").value') where ${elsewhere}
          union all
          select jsonb_path_query(d.text::jsonb, '$.** ? (@.event == "contact.tagged" || @.event == "contact.untagged").where[*]
            ? (@.property == "tag").value')
          union all
          select jsonb_path_query(d.text::jsonb, '$.** ? (@.field == "event:contact.tagged" || @.field == "event:contact.untagged").value.where[*]
            ? (@.property == "tag").value')) rules (given),
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
      where ${elsewhere} and lower(trim(given #>> '{}')) = lower($3))`
  return automationsNaming(tx, workspaceId, {
    what: inFilters ? 'tag_in_filters' : 'tag',
    holds,
    values: [JSON.stringify(name).slice(1, -1), name],
  })
}

/** `holds` is a condition on a definition, `d.text`, with its values from $2 on. */
type Naming = { what: string; holds: string; values: readonly string[] }

async function automationsNaming(
  tx: Transaction,
  workspaceId: string,
  { what, holds, values }: Naming,
): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: `automations_naming_${what}`,
    text: `select a.id, a.name from automations a
      where a.workspace_id = $1 and a.stopped_at is null and exists (
        select from (
          select a.draft as text
          union all
          select v.definition from automation_versions v where v.workspace_id = $1 and v.automation_id = a.id) d
        where ${holds})
      order by a.id`,
    values: [workspaceId, ...values],
  })
  return rows.map((row) => ({ type: 'automation', ...row }))
}

type Rename = { from: string; to: string }

/**
 * Refuses to rename a custom field that an automation names: a version never changes, and people in it would go by a rule that nobody
 * meant. Throws a 422 that names one.
 */
export async function refuseRename(tx: Transaction, { workspaceId }: Caller, { from }: Rename): Promise<void> {
  refuseFor(await automationsNamingField(tx, workspaceId, from), '/key')
}

/** Refuses to rename a tag that an automation names, in the same way; where it is only spelt anew, that would no longer hear of it. */
export async function refuseTagRename(tx: Transaction, { workspaceId }: Caller, { from, to }: Rename): Promise<void> {
  const inFilters = from.toLowerCase() === to.toLowerCase()
  refuseFor(await automationsNamingTag(tx, workspaceId, from, { inFilters }), '/name')
}

function refuseFor([automation]: readonly Use[], pointer: string): void {
  if (!automation) return
  const detail = `stays as it is while the automation “${automation.name}” (${automation.id}) names it: stop that one first`
  throw unprocessable([{ pointer, detail }])
}
