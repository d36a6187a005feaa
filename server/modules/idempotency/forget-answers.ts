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

/**
 * Forgets the recorded answers of requests that changed nothing, such as previews, which may show anybody. A repeat is
 * carried out again, as the same request.
 */
export async function forgetShownAnswers(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'forget-shown-answers',
    text: `update idempotency_keys set status = null, answer = null, leased_until = now()
           where workspace_id = $1 and not took_effect and status between 200 and 299 and answer is not null`,
    values: [workspaceId],
  })
}
