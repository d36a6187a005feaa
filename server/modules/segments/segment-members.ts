import { unprocessable } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Sql } from './compile-comparison.ts'
import { compileMembers } from './compile-members.ts'
import type { IdRange } from './id-range.ts'
import { segmentByIdStatement } from './queries.ts'
import { readRules } from './read-rules.ts'
import { loadFacts } from './segment-facts.ts'

/**
 * Members of a stored segment now, of a range of contacts or of all: a sub-query of one column `id`, for `id in (…)` or `insert into … select id from (…)`.
 * Undefined when the workspace has no such segment. Throws a 422 for `segmentId` when its definition holds no longer, as
 * after a field got another type: nobody is to be mailed by a rule that nobody meant.
 */
export async function segmentMembers(
  tx: Transaction,
  workspaceId: string,
  { id, range = null }: { id: string; range?: IdRange | null },
): Promise<Sql | undefined> {
  const { rows } = await tx.query(segmentByIdStatement(workspaceId, id))
  const [segment] = rows
  if (!segment) return undefined
  const read = readRules(segment.definition, await loadFacts(tx, workspaceId, [segment.definition]), id)
  if ('condition' in read) return compileMembers(workspaceId, read.condition, range)
  const [fault] = read.faults
  const detail = `names a segment that no longer holds: ${fault?.pointer} ${fault?.detail}`
  throw unprocessable([{ pointer: '/segmentId', detail }])
}
