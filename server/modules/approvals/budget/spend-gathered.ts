import type { Transaction } from '../../../platform/db/transaction.ts'
import type { ApprovalRow } from '../approval-queries.ts'
import { lockPolicy, spentStatement, stillCoveredStatement } from './send-policy-queries.ts'

/**
 * Has a broadcast that went out by a budget spend as many people as it was found to have. Why the budget does not cover them, in a sentence, where
 * it does not: they may be a few more than when it was asked for.
 */
export async function spendGathered(
  tx: Transaction,
  workspaceId: string,
  { asked, recipientsCount }: { asked: ApprovalRow; recipientsCount: number },
): Promise<string | undefined> {
  const { tokenId } = asked.askedBy
  if (!asked.byBudget || tokenId === null || recipientsCount === asked.recipientsCount) return undefined
  const key = { workspaceId, tokenId }
  const { budget } = await lockPolicy(tx, key)
  const [spent] = (await tx.query(spentStatement(key, asked.scheduledAt))).rows
  const others = spent!.recipients - asked.recipientsCount
  const isMore = recipientsCount > asked.recipientsCount
  const { rows: covered } = await tx.query(stillCoveredStatement(key, recipientsCount))
  if (isMore && (covered.length === 0 || others + recipientsCount > budget!.recipientsPerDay))
    return `The budget of its token does not cover the ${recipientsCount} people whom it has now.`
  await tx.query({
    name: 'spend_gathered',
    text: 'update approvals set recipients_count = $3 where workspace_id = $1 and id = $2',
    values: [workspaceId, asked.id, recipientsCount],
  })
  return undefined
}
