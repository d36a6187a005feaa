import type pg from 'pg'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'

type ActionRow = { action: string; lastSeenAt: string; sample: string | null; total: string }

/** A page of the names of events that the workspace has seen, by name, each with what one of the last said. */
export async function listActions(
  sql: pg.Pool,
  workspaceId: string,
  { search, ...page }: PageQuery & { search?: string | undefined },
) {
  const rows = await queryInScope(sql, workspaceId, actionsStatement(workspaceId, search?.trim() || null, page))
  const items = rows.filter(({ action }) => action !== null)
  return {
    items: items.map(({ action, lastSeenAt, sample }) => ({
      action,
      lastSeenAt,
      sample: sample === null ? null : (parseExactJson(sample) as Record<string, unknown>),
    })),
    total: Number(rows[0]?.total ?? 0),
  }
}

/** Of those that a search finds each name is read once; it is asked of all of them. */
const SEARCHED = `with found as materialized (
    select name from event_actions where workspace_id = $1 and strpos(lower(name), lower($4)) > 0)
  `

/**
 * Names are counted in their index, and walked to the page in it: where a program puts a number into each there are millions. Events are found by their
 * own key; one that was erased, or has left by age, has no sample.
 */
export function actionsStatement(workspaceId: string, search: string | null, page: PageQuery): Statement<ActionRow> {
  const names = search === null ? 'event_actions where workspace_id = $1' : 'found'
  return {
    name: `event_actions${search === null ? '' : '_searched'}_page`,
    text: `${search === null ? '' : SEARCHED}select p.name as action, p.last_seen_at as "lastSeenAt", e.data as sample, counted.total
      from (select count(*) as total from ${names}) counted
      left join lateral (select name from ${names} order by name limit $2 offset $3) n on true
      left join event_actions p on p.workspace_id = $1 and p.name = n.name
      left join lateral (select data from events e where e.workspace_id = $1 and e.id = p.event_id limit 1) e on true
      order by p.name`,
    values: [workspaceId, page.pageSize, rowsBefore(page), ...(search === null ? [] : [search])],
  }
}
