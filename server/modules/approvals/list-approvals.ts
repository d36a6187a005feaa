import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { approvalsPageStatement, approvalsTotalStatement, summaryOf } from './approval-queries.ts'

/** A page, the newest first. */
export async function listApprovals(sql: pg.Pool, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, approvalsPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, approvalsTotalStatement(workspaceId)),
  ])
  return { items: items.map(summaryOf), total: Number(totals[0]?.total ?? 0) }
}
