import { planChanged } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import type { PlanDeps } from './acts/act.ts'
import { ACTS } from './acts/acts.ts'
import { type ApprovalRow, targetOf } from './approval-queries.ts'
import { driftOf } from './plan-drift.ts'

/** Answers the request as it is decided. `recipientsCount`: of the act as it is done, which may be a little other than when it was asked for. */
export type Decide = (tx: Transaction, recipientsCount: number) => Promise<ApprovalRow>

/**
 * Does exactly what was asked for; what `decide` writes is committed together with it. Answers what that answers. Throws 409 `plan-changed` where it is
 * not what was asked for any more, and what the act throws.
 */
export async function grant(
  deps: PlanDeps,
  caller: Caller,
  { asked, decide }: { asked: ApprovalRow; decide: Decide },
): Promise<ApprovalRow> {
  const { id: approvalId, scheduledAt } = asked
  if (scheduledAt !== null && Date.parse(scheduledAt) <= Date.now())
    throw planChanged('The time it was to start at has passed.')
  let { recipientsCount } = asked
  let decided: ApprovalRow | undefined
  const acting: Caller = {
    ...caller,
    async onRecorded(tx, entry) {
      decided = await decide(tx, recipientsCount)
      await caller.onRecorded?.(tx, entry)
    },
  }
  const requireSame = (now: Parameters<typeof driftOf>[1]) => {
    const drift = driftOf(asked, now)
    if (drift !== undefined) throw planChanged(drift)
    recipientsCount = now.recipientsCount
  }
  const granted = { approvalId, target: targetOf(asked), scheduledAt, requireSame }
  await ACTS[asked.act].run(deps, acting, granted).catch((error: unknown) => {
    throw error instanceof Problem && error.statusCode === 404 ? planChanged('It has been deleted.') : error
  })
  // An act has an entry in the audit log, with which it is decided.
  return decided!
}
