import { planChanged } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { broadcastWithin } from '../broadcasts/read-broadcasts.ts'
import type { JudgeFrozen } from '../broadcasts/run/freeze-broadcast.ts'
import type { SenderDeps } from '../sending/judge-sender.ts'
import { contentOf } from './acts/content-of-broadcast.ts'
import { type ApprovalRow, approvalOf, approvalOfStartedStatement } from './approval-queries.ts'
import { spendGathered } from './budget/spend-gathered.ts'
import { audienceDriftOf, CONTENT_DRIFT } from './plan-drift.ts'

type Key = { workspaceId: string; id: string }

/**
 * Judges a broadcast that was approved in the transaction that gathers its people: between the yes and that moment, as long as no worker has
 * come to it, everything but its own content may have been changed. Throws 409 `plan-changed` where it is not as it was approved; where it
 * is, its rules stay as they are until the transaction ends.
 */
export function judgeFrozen(deps: SenderDeps): JudgeFrozen {
  return {
    async before(tx, key) {
      const asked = await approvalOfStarted(tx, key)
      if (asked === undefined) return
      const row = await broadcastWithin(tx, key)
      const { workspaceId } = key
      const now = await contentOf(tx, deps, { workspaceId, row, held: true }).catch(goneAsUndefined)
      if (now === undefined || !asked.contentHash.equals(now.contentHash)) throw other(asked, CONTENT_DRIFT)
    },
    async after(tx, key, recipientsCount) {
      const asked = await approvalOfStarted(tx, key)
      if (asked === undefined) return
      const drift = audienceDriftOf(asked, recipientsCount)
      const fault = drift ?? (await spendGathered(tx, key.workspaceId, { asked, recipientsCount }))
      if (fault !== undefined) throw other(asked, fault)
    },
  }
}

/** None of one that a person or a program has started themselves. */
async function approvalOfStarted(tx: Transaction, key: Key): Promise<ApprovalRow | undefined> {
  const [stored] = (await tx.query(approvalOfStartedStatement(key))).rows
  return stored && approvalOf(stored)
}

function other({ id }: ApprovalRow, drift: string): Problem {
  return planChanged(`Not as it was approved (${id}): ${drift}`)
}

function goneAsUndefined(error: unknown): undefined {
  if (!(error instanceof Problem) || error.statusCode !== 404) throw error
}
