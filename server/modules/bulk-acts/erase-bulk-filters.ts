import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { erasedFilter, NAMES_PERSON } from '../contacts/erased-filters.ts'

const IS_TO_GATHER = `b.state = 'running' and not b.gathered`
const FAILURE = 'Its filter named a person who was erased before it was applied.'

/**
 * Writes over what filters of bulk acts say of the persons with these aliases, in lower case. An act that has yet to apply
 * its filter ends: with another one it would change others. A run that applies it meanwhile finds the act over, or is
 * waited for.
 */
export async function eraseBulkFilters(
  tx: Transaction,
  workspaceId: string,
  aliases: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'erase_bulk_filters',
    text: `update bulk_acts b set filter = ${erasedFilter('b.filter')}, updated_at = now(),
        state = case when ${IS_TO_GATHER} then 'failed' else state end,
        failure = case when ${IS_TO_GATHER} then $3 else failure end,
        ended_at = case when ${IS_TO_GATHER} then now() else ended_at end
      where b.workspace_id = $1 and exists (select from json_each_text(b.filter) where ${NAMES_PERSON})`,
    values: [workspaceId, textArray(aliases), FAILURE],
  })
}
