import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { fitting, type PageQuery } from '../../../platform/schema/paging.ts'
import type { Automation } from '../schemas.ts'
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
  return { items: fitting(rows).map(automationOf), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for an automation that is not in the workspace. */
export async function readAutomation(sql: pg.Pool, key: AutomationKey): Promise<Automation> {
  const [row] = await queryInScope(sql, key.workspaceId, automationByIdStatement(key))
  if (!row) throw notFound()
  return automationOf(row)
}
