import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { forgetAnswerRows } from './queries.ts'

/**
 * Forgets the recorded answers of requests that took effect on these targets, for instance because a person is erased.
 * A repeat is told that its answer is not known.
 */
export async function forgetAnswers(
  tx: Transaction,
  workspaceId: string,
  target: { type: string; ids: readonly string[] },
): Promise<void> {
  await forgetAnswerRows(tx, workspaceId, { type: target.type, ids: textArray(target.ids) })
}
