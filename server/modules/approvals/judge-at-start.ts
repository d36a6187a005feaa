import type pg from 'pg'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { failBroadcast } from '../broadcasts/run/end-broadcast.ts'
import { takeBackScheduled } from '../broadcasts/run/take-back-scheduled.ts'
import type { FrozenPlan } from './acts/act.ts'
import {
  type ApprovalRow,
  approvalOf,
  approvalOfScheduledStatement,
  insertApproval,
  targetOf,
} from './approval-queries.ts'
import { isStillCovered } from './budget/send-policy.ts'
import { driftOf } from './plan-drift.ts'

/** Attempts at an audience that is not counted in time: about five minutes of them, by the job's pauses. */
const COUNTS_MAX = 10

type Key = { workspaceId: string; id: string }
/** `planOf` answers the plan of a scheduled broadcast as it would be sent now, or throws as `freezeBroadcast` does. */
export type JudgeAtStartDeps = { pool: pg.Pool; planOf: (key: Key) => Promise<FrozenPlan>; countsMax?: number }

/**
 * Judges a broadcast that was approved for a later time once more when that comes: whatever its mail rests on may have been changed
 * since. One that is other than what was approved is a draft again, and people are asked anew; one that cannot be sent, or
 * whose audience was not counted in time by the last attempt, has failed. False then. One that somebody has taken in hand since it was `seen`, by
 * its `updatedAt`, stays as they have left it.
 */
export async function judgeAtStart(
  deps: JudgeAtStartDeps,
  key: Key,
  { attempt, seen }: { attempt: number; seen: string },
): Promise<boolean> {
  const [stored] = await queryInScope(deps.pool, key.workspaceId, approvalOfScheduledStatement(key))
  if (!stored) return true
  const asked = approvalOf(stored)
  const now = await planOrFault(deps, key, attempt)
  if (typeof now === 'string') {
    await failBroadcast(deps, key, { failure: now, seen })
    return false
  }
  const drift = driftOf(asked, now) ?? (await beyondItsBudget(deps, key, { asked, now }))
  if (drift === undefined) return true
  await askAnew(deps, key, { asked, now, drift, seen })
  return false
}

/** A broadcast that nobody was asked about starts while the budget of its token covers it. */
async function beyondItsBudget(
  { pool }: Pick<JudgeAtStartDeps, 'pool'>,
  { workspaceId }: Key,
  { asked, now }: { asked: ApprovalRow; now: FrozenPlan },
): Promise<string | undefined> {
  const { tokenId } = asked.askedBy
  if (!asked.byBudget || tokenId === null) return undefined
  const covered = await isStillCovered({ sql: pool }, { workspaceId, tokenId }, now.recipientsCount)
  return covered ? undefined : 'The budget of its token does not cover it any more.'
}

/** The plan as it would be sent now, or why it cannot be. An audience that is not counted in time is looked at again, so often. */
async function planOrFault(
  { planOf, countsMax = COUNTS_MAX }: JudgeAtStartDeps,
  key: Key,
  attempt: number,
): Promise<FrozenPlan | string> {
  try {
    return await planOf(key)
  } catch (error) {
    if (!(error instanceof Problem) || error.statusCode !== 422) throw error
    const faults = error.errors ?? []
    if (faults.some(({ pointer }) => pointer === '/broadcastId')) {
      if (attempt < countsMax) throw error
      return 'It was approved for so many people, and its audience could not be counted in time when it was to start.'
    }
    return faults.map(({ pointer, detail }) => `${(pointer ?? '').slice(1)} ${detail}`).join('; ')
  }
}

type Anew = { asked: ApprovalRow; now: FrozenPlan; drift: string; seen: string }

async function askAnew({ pool }: JudgeAtStartDeps, key: Key, { asked, now, drift, seen }: Anew): Promise<void> {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const reason = `Not as it was approved (${asked.id}): ${drift}`
    const isTaken = await takeBackScheduled(tx, key, { reason, seen })
    if (!isTaken) return
    const { note, askedBy } = asked
    await insertApproval(tx, key.workspaceId, { ...now, target: targetOf(asked), scheduledAt: null, note, askedBy })
  })
}
