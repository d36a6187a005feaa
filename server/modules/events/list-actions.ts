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

const FOUND = `from event_actions where workspace_id = $1 and ($2::text is null or strpos(lower(name), lower($2)) > 0)`

/**
 * Names are counted in their index, and walked to the page in it: where a program puts a number into each there are millions. Events are found by their
 * own key; one that was erased, or has left by age, has no sample.
 */
export function actionsStatement(workspaceId: string, search: string | null, page: PageQuery): Statement<ActionRow> {
  return {
    name: `event_actions${search === null ? '' : '_searched'}_page`,
    text: `select p.name as action, p.last_seen_at as "lastSeenAt", e.data as sample, counted.total
      from (select count(*) as total ${FOUND}) counted
      left join lateral (select name, last_seen_at, event_id ${FOUND} order by name limit $3 offset $4) p on true
      left join lateral (select data from events e where e.workspace_id = $1 and e.id = p.event_id limit 1) e on true
      order by p.name`,
    values: [workspaceId, search, page.pageSize, rowsBefore(page)],
  }
}
