import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type EndpointRow, endpointByIdStatement, endpointsPageStatement, endpointsTotalStatement } from './queries.ts'

export async function readEndpoints(sql: pg.Pool, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, endpointsPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, endpointsTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for an endpoint that is not in the workspace. */
export async function readEndpoint(sql: pg.Pool, workspaceId: string, id: string): Promise<EndpointRow> {
  const [row] = await queryInScope(sql, workspaceId, endpointByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}
