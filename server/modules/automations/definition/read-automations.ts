import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { fitting, type PageQuery } from '../../../platform/schema/paging.ts'
import type { Automation, AutomationListItem } from '../schemas.ts'
import { automationOf } from './automation-of.ts'
import {
  type AutomationFilter,
  type AutomationKey,
  automationByIdStatement,
  automationsPageStatement,
  automationsTotalStatement,
} from './queries.ts'

export async function readAutomations(
  sql: pg.Pool,
  workspaceId: string,
  { filter, page }: { filter: AutomationFilter; page: PageQuery },
) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, automationsPageStatement(workspaceId, filter, page)),
    queryInScope(sql, workspaceId, automationsTotalStatement(workspaceId, filter)),
  ])
  const ids = rows.map(({ id }) => id)
  const sums = ids.length === 0 ? [] : await queryInScope(sql, workspaceId, peopleInStatement(workspaceId, ids))
  const sumsOf = (id: string) => sums.find((one) => one.id === id)
  const items = fitting(rows).map((row): AutomationListItem => {
    const { entered = '0', inside = '0', parked = '0' } = sumsOf(row.id) ?? {}
    return { ...automationOf(row), entered: Number(entered), inside: Number(inside), parked: Number(parked) }
  })
  return { items, total: Number(totals[0]?.total ?? 0) }
}

type People = { id: string; entered: string; inside: string; parked: string }

/** How many came in and are inside, by the sums that `readCounts` tells node by node; those who have failed by their index. */
function peopleInStatement(workspaceId: string, ids: readonly string[]): Statement<People> {
  return {
    name: 'people_in_automations',
    text: `select a.id, s.entered, s.inside,
        (select count(*) from runs r where r.workspace_id = $1 and r.automation_id = a.id and r.state = 'parked') as parked
      from unnest($2::bigint[]) as a (id) cross join lateral (
        select coalesce(sum(total) filter (where node = '' and kind not like 'refused:%'), 0) as entered,
          coalesce(sum(case kind when 'entered' then total else -total end) filter (where node <> ''), 0) as inside
        from node_totals where workspace_id = $1 and automation_id = a.id) s`,
    values: [workspaceId, int8Array(ids)],
  }
}

/** Throws 404 for an automation that is not in the workspace. */
export async function readAutomation(sql: pg.Pool, key: AutomationKey): Promise<Automation> {
  const [row] = await queryInScope(sql, key.workspaceId, automationByIdStatement(key))
  if (!row) throw notFound()
  return automationOf(row)
}
