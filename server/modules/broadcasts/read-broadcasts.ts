import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { broadcastOf, summaryOf } from './broadcast-of.ts'
import {
  type BroadcastFilter,
  type BroadcastKey,
  type BroadcastRow,
  broadcastByIdStatement,
  broadcastsPageStatement,
  broadcastsTotalStatement,
} from './queries.ts'
import type { Broadcast } from './schemas.ts'

export async function readBroadcasts(
  sql: pg.Pool,
  workspaceId: string,
  { filter, page }: { filter: BroadcastFilter; page: PageQuery },
) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, broadcastsPageStatement(workspaceId, filter, page)),
    queryInScope(sql, workspaceId, broadcastsTotalStatement(workspaceId, filter)),
  ])
  return { items: rows.map(summaryOf), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for a broadcast that is not in the workspace. */
export async function readBroadcast(sql: pg.Pool, key: BroadcastKey): Promise<Broadcast> {
  return broadcastOf(await broadcastRow(sql, key))
}

/** The row itself. Throws 404. */
export async function broadcastRow(sql: pg.Pool, key: BroadcastKey): Promise<BroadcastRow> {
  const [row] = await queryInScope(sql, key.workspaceId, broadcastByIdStatement(key))
  if (!row) throw notFound()
  return row
}
