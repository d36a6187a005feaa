import { invalid, limitReached, missingScope, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type ApprovalRow, insertApproval, sameWaiting, waitingCounts } from './approval-queries.ts'
import { freezePlan, type PlanDeps } from './freeze-plan.ts'
import type { ApprovalBody } from './schemas.ts'

/** Requests that wait at once: people look at each. Of two that come together one may be one too many. */
export const WAITING_OF_TOKEN_MAX = 20
export const WAITING_MAX = 100
const CLIENT = /; client "([^"]{1,80})"\)/

/**
 * Asks the people of the workspace to send a broadcast, and writes down what exactly; the same again is the same request. Nothing is sent. Throws 400, 403 without
 * the scope of the act itself, 409, 422.
 */
export async function askApproval(deps: PlanDeps, caller: Caller, body: ApprovalBody): Promise<ApprovalRow> {
  const { workspaceId, actor, scopes, userAgent } = caller
  if (isBeyondIds(body.broadcastId)) throw unknownBroadcast()
  const scheduledAt = body.at ?? null
  if (scheduledAt !== null && Date.parse(scheduledAt) <= Date.now())
    throw invalid([{ pointer: '/at', detail: 'must be a time to come' }])
  const { plan, contentHash, recipientsCount } = await freezePlan(deps, { workspaceId, id: body.broadcastId }).catch(
    refuseUnknown,
  )
  if (!scopes.has('broadcasts:send')) throw missingScope('broadcasts:send')
  const client = CLIENT.exec(userAgent ?? '')?.[1] ?? null
  const askedBy = { tokenId: actor.id, tokenName: actor.name, client }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const asked = { broadcastId: body.broadcastId, scheduledAt, contentHash, recipientsCount, plan }
    const waiting = await sameWaiting(tx, workspaceId, asked)
    if (waiting) return waiting
    const { all, ofToken } = await waitingCounts(tx, workspaceId, actor.id)
    if (ofToken >= WAITING_OF_TOKEN_MAX)
      throw limitReached(`${WAITING_OF_TOKEN_MAX} requests of this token wait already: people decide on those first.`)
    if (all >= WAITING_MAX)
      throw limitReached(`${WAITING_MAX} requests wait in this workspace already: people decide on those first.`)
    const approval = await insertApproval(tx, workspaceId, { ...asked, note: body.note ?? '', askedBy })
    const target = { type: 'approval', id: approval.id, name: plan.name }
    const diff = { contentHash: { from: null, to: contentHash.toString('hex') }, client: { from: null, to: client } }
    await recordAudit(tx, caller, { action: 'approval.ask', target, diff })
    return approval
  })
}

/** A body names something that is not there. */
function refuseUnknown(error: unknown): never {
  if (!(error instanceof Problem) || error.statusCode !== 404) throw error
  throw unknownBroadcast()
}

const unknownBroadcast = () =>
  unprocessable([{ pointer: '/broadcastId', detail: 'is not a broadcast of this workspace' }])
