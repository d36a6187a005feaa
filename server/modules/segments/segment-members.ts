import type { Transaction } from '../../platform/db/transaction.ts'
import type { Sql } from './compile-comparison.ts'
import { compileMembers } from './compile-members.ts'
import { segmentById } from './queries.ts'
import type { Segment } from './schemas.ts'
import { conditionOf } from './segment-facts.ts'

/** The longest that a list of a segment's contacts may take in the database: its answer is due within 2 s. */
const LIST_TIMEOUT_MS = 1_700

/**
 * Who is in a stored segment now: a sub-query of one column `id`, for `id in (…)` or `insert into … select id from (…)`.
 * Undefined when the workspace has no such segment. Throws a 422 when its definition no longer holds.
 */
export async function segmentMembers(tx: Transaction, workspaceId: string, id: string): Promise<Sql | undefined> {
  const { rows } = await tx.query<Segment>(segmentById(workspaceId, id))
  const [segment] = rows
  return segment && compileMembers(workspaceId, await conditionOf(tx, workspaceId, segment.definition))
}

/** The same as the filter of a list, which then ends in time. */
export async function segmentFilter(tx: Transaction, workspaceId: string, id: string): Promise<Sql | undefined> {
  const members = await segmentMembers(tx, workspaceId, id)
  await tx.query(`set local statement_timeout = ${LIST_TIMEOUT_MS}`)
  return members
}
