import type pg from 'pg'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { failBroadcast } from '../broadcasts/run/end-broadcast.ts'
import { takeBackScheduled } from '../broadcasts/run/take-back-scheduled.ts'
import { type ApprovalRow, approvalOf, approvalOfScheduledStatement, insertApproval } from './approval-queries.ts'
import { type FrozenPlan, freezePlan, type PlanDeps } from './freeze-plan.ts'
import { driftOf } from './plan-drift.ts'

export type JudgeAtStartDeps = PlanDeps & { pool: pg.Pool }

/**
 * Judges a broadcast that was approved for a later time once more when that comes: whatever its mail rests on may have been changed
 * since. One that is other than what was approved is a draft again, and people are asked anew; one that cannot be sent has failed.
 * False then.
 */
export async function judgeAtStart(deps: JudgeAtStartDeps, key: { workspaceId: string; id: string }): Promise<boolean> {
  const [stored] = await queryInScope(deps.pool, key.workspaceId, approvalOfScheduledStatement(key))
  if (!stored) return true
  const asked = approvalOf(stored)
  const now = await planOrFault(deps, key)
  if (typeof now === 'string') {
    await failBroadcast(deps, key, now)
    return false
  }
  const drift = driftOf(asked, now)
  if (drift === undefined) return true
  await askAnew(deps, key, { asked, now, drift })
  return false
}

/** The plan as it would be sent now, or why it cannot be. An audience that is not counted in time is looked at again. */
async function planOrFault(deps: PlanDeps, key: { workspaceId: string; id: string }): Promise<FrozenPlan | string> {
  try {
    return await freezePlan(deps, key, ['scheduled'])
  } catch (error) {
    if (!(error instanceof Problem) || error.statusCode !== 422) throw error
    const faults = error.errors ?? []
    if (faults.some(({ pointer }) => pointer === '/broadcastId')) throw error
    return faults.map(({ pointer, detail }) => `${(pointer ?? '').slice(1)} ${detail}`).join('; ')
  }
}

type Anew = { asked: ApprovalRow; now: FrozenPlan; drift: string }

async function askAnew(
  { pool }: JudgeAtStartDeps,
  key: { workspaceId: string; id: string },
  { asked, now, drift }: Anew,
): Promise<void> {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const isTaken = await takeBackScheduled(tx, key, `Not as it was approved (${asked.id}): ${drift}`)
    if (!isTaken) return
    const { broadcastId, note, askedBy } = asked
    await insertApproval(tx, key.workspaceId, { ...now, broadcastId, scheduledAt: null, note, askedBy })
  })
}
