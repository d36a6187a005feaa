import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { totalsOf } from '../sending/ledger/read-totals.ts'
import { broadcastOf, summaryOf } from './broadcast-of.ts'
import { countsOf } from './counts-of.ts'
import {
  type BroadcastFilter,
  type BroadcastKey,
  type BroadcastRow,
  broadcastByIdStatement,
  broadcastsPageStatement,
  broadcastsTotalStatement,
} from './queries.ts'
import type { Broadcast, BroadcastListItem, BroadcastSort } from './schemas.ts'

type ListQuery = { filter: BroadcastFilter; sort: BroadcastSort; page: PageQuery }

/** A page of broadcasts with the fates of their recipients, all of one moment: each sum fits, whatever is going on. */
export async function readBroadcasts(
  sql: pg.Pool,
  workspaceId: string,
  { filter, sort, page }: ListQuery,
): Promise<{ items: BroadcastListItem[]; total: number }> {
  return inTransaction(sql, workspaceId, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const [{ rows }, { rows: totals }] = await Promise.all([
      tx.query(broadcastsPageStatement(workspaceId, filter, { ...page, sort })),
      tx.query(broadcastsTotalStatement(workspaceId, filter)),
    ])
    const fates = await totalsOf(
      tx,
      workspaceId,
      rows.map(({ id }) => id),
    )
    const items = rows.map((row) => ({ ...summaryOf(row), counts: countsOf(row, fates.get(row.id)!) }))
    return { items, total: Number(totals[0]?.total ?? 0) }
  })
}

/** Throws 404 for a broadcast that is not in the workspace. */
export async function readBroadcast(sql: pg.Pool, key: BroadcastKey): Promise<Broadcast> {
  return broadcastOf(await broadcastRow(sql, key))
}

/** The row as a transaction sees it. Throws 404. */
export async function broadcastWithin(tx: Transaction, key: BroadcastKey): Promise<BroadcastRow> {
  const [row] = (await tx.query(broadcastByIdStatement(key))).rows
  if (!row) throw notFound()
  return row
}

/** The row itself. Throws 404. */
export async function broadcastRow(sql: pg.Pool, key: BroadcastKey): Promise<BroadcastRow> {
  const [row] = await queryInScope(sql, key.workspaceId, broadcastByIdStatement(key))
  if (!row) throw notFound()
  return row
}
