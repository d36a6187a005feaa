import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { fitting, type PageQuery } from '../../platform/schema/paging.ts'
import { segmentByIdStatement, segmentsPageStatement, segmentsTotalStatement } from './queries.ts'
import type { Segment } from './schemas.ts'

export async function readSegments(
  sql: pg.Pool,
  workspaceId: string,
  { search = null, ...page }: PageQuery & { search?: string | null },
) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, segmentsPageStatement(workspaceId, search, page)),
    queryInScope(sql, workspaceId, segmentsTotalStatement(workspaceId, search)),
  ])
  return { items: [...fitting(rows)], total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for a segment that is not in the workspace. */
export async function readSegment(sql: pg.Pool, workspaceId: string, id: string): Promise<Segment> {
  const [row] = await queryInScope(sql, workspaceId, segmentByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}
