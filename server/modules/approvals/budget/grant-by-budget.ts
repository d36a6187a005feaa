import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import type { PlanDeps } from '../acts/act.ts'
import {
  type ApprovalRow,
  approvalByIdStatement,
  approvalOf,
  decideApproval,
  noteOfBudget,
} from '../approval-queries.ts'
import { type Decide, grant } from '../grant.ts'
import { beyondBudget } from './beyond-budget.ts'
import { lockPolicy, policyOf, policyStatement, spentStatement } from './send-policy-queries.ts'

/** A budget that does not cover an act: a person is asked, and told why. */
class BeyondBudget extends Error {}

/**
 * Does what a token asks for where a person has allowed it before; everything else waits for a person as it is, with the reason why
 * the budget did not cover it. The budget is spent in the transaction of the act.
 */
export async function grantByBudget(deps: PlanDeps, caller: Caller, asked: ApprovalRow): Promise<ApprovalRow> {
  const key = { workspaceId: caller.workspaceId, tokenId: caller.actor.id! }
  const [stored] = await queryInScope(deps.sql, key.workspaceId, policyStatement(key))
  if (asked.status !== 'waiting' || policyOf(stored).mode !== 'budget') return asked
  // The claim of a repeated request is marked by the act itself.
  const { onRecorded: _, ...unmarked } = caller
  const decide: Decide = async (tx, recipientsCount) => {
    const { budget } = await lockPolicy(tx, key)
    const { rows } = await tx.query(spentStatement(key, asked.scheduledAt))
    const reason =
      budget && beyondBudget({ budget, spent: rows[0]!, asked: { ...asked, recipientsCount }, now: Date.now() })
    if (reason !== undefined) throw new BeyondBudget(reason ?? 'It has no budget any more.')
    const decided = { id: asked.id, status: 'approved', by: null, recipientsCount } as const
    const approved = await decideApproval(tx, key.workspaceId, decided)
    if (!approved) throw new BeyondBudget('It was decided just now.')
    await recordAudit(tx, unmarked, {
      action: 'approval.approve',
      target: { type: 'approval', id: asked.id, name: asked.plan.name },
      diff: { status: { from: 'waiting', to: 'approved' }, byBudget: { from: false, to: true } },
    })
    return approved
  }
  return grant(deps, caller, { asked, decide }).catch(async (error: unknown) => {
    if (!(error instanceof BeyondBudget || error instanceof Problem)) throw error
    const reason = error instanceof BeyondBudget ? error.message : (error.detail ?? error.title)
    return inTransaction(deps.sql, key.workspaceId, async (tx) => {
      const noted = await noteOfBudget(tx, key.workspaceId, { id: asked.id, reason })
      // A person has decided meanwhile.
      return noted ?? approvalOf((await tx.query(approvalByIdStatement(key.workspaceId, asked.id))).rows[0]!)
    })
  })
}
