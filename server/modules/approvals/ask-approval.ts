import { invalid, limitReached, missingScope, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { PlanDeps, Target } from './acts/act.ts'
import { ACTS } from './acts/acts.ts'
import { type ApprovalRow, holdRequests, insertApproval, sameWaiting, waitingCounts } from './approval-queries.ts'
import { grantByBudget } from './budget/grant-by-budget.ts'
import { requireMayAsk } from './budget/send-policy.ts'
import { driftOf } from './plan-drift.ts'
import type { ApprovalBody } from './schemas.ts'

/** Requests that wait at once: people look at each. Of two that come together one may be one too many. */
export const WAITING_OF_TOKEN_MAX = 20
export const WAITING_MAX = 100
const CLIENT = /; client "([^"]{1,80})"\)/

/**
 * Asks the people of the workspace for an act, and writes down what exactly; the same again is the same request. An act within the
 * budget of the token is done at once, every other waits for a person. Throws 400, 403 without the scope of the act
 * itself or where the token may not ask at all, 409, 422.
 */
export async function askApproval(deps: PlanDeps, caller: Caller, body: ApprovalBody): Promise<ApprovalRow> {
  const { workspaceId, scopes } = caller
  const act = ACTS[body.act]
  const target = readTarget(body)
  const scheduledAt = readTime(body)
  const frozen = await act.freeze(deps, { workspaceId, target }).catch((error) => refuseUnknown(error, act.names[0]!))
  if (!scopes.has(act.needs)) throw missingScope(act.needs)
  await requireMayAsk(deps, caller)
  const waiting = await putRequest(deps, caller, { target, scheduledAt, ...frozen, note: body.note ?? '' })
  return grantByBudget(deps, caller, waiting)
}

type Asked = Omit<Parameters<typeof insertApproval>[2], 'askedBy'>

async function putRequest(deps: PlanDeps, caller: Caller, asked: Asked): Promise<ApprovalRow> {
  const { workspaceId, actor, userAgent } = caller
  const client = CLIENT.exec(userAgent ?? '')?.[1] ?? null
  const askedBy = { tokenId: actor.id, tokenName: actor.name, client }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    // Of two alike that come at once the second finds the first.
    await holdRequests(tx, workspaceId, actor.id!)
    const waiting = await sameWaiting(tx, workspaceId, { ...asked, askedBy })
    // One whose audience has moved since would be refused when somebody approves it.
    if (waiting && driftOf(waiting, asked) === undefined) return waiting
    const { all, ofToken } = await waitingCounts(tx, workspaceId, actor.id)
    if (ofToken >= WAITING_OF_TOKEN_MAX)
      throw limitReached(`${WAITING_OF_TOKEN_MAX} requests of this token wait already: people decide on those first.`)
    if (all >= WAITING_MAX)
      throw limitReached(`${WAITING_MAX} requests wait in this workspace already: people decide on those first.`)
    const approval = await insertApproval(tx, workspaceId, { ...asked, askedBy })
    const target = { type: 'approval', id: approval.id, name: asked.plan.name }
    const contentHash = { from: null, to: asked.contentHash.toString('hex') }
    const diff = { act: { from: null, to: asked.target.act }, contentHash, client: { from: null, to: client } }
    await recordAudit(tx, caller, { action: 'approval.ask', target, diff })
    return approval
  })
}

const NAMES = ['broadcastId', 'automationId', 'templateId', 'contactId'] as const

/** The target has the ids of its kind and no others. Throws 400, 422 for ids that nothing can have. */
function readTarget(body: ApprovalBody): Target {
  const { names } = ACTS[body.act]
  const faults = NAMES.flatMap((name) => {
    const isNamed = names.includes(name)
    if (isNamed === (body[name] !== undefined)) return []
    return [
      { pointer: `/${name}`, detail: isNamed ? `is required for "${body.act}"` : `does not go with "${body.act}"` },
    ]
  })
  if (faults.length > 0) throw invalid(faults)
  const beyond = names.find((name) => isBeyondIds(body[name]))
  if (beyond !== undefined) throw unknown(beyond)
  const { act, broadcastId = null, automationId = null, templateId = null, contactId = null } = body
  return { act, broadcastId, automationId, templateId, contactId }
}

function readTime({ act, at }: ApprovalBody): string | null {
  if (at === undefined) return null
  if (!ACTS[act].mayWait) throw invalid([{ pointer: '/at', detail: `does not go with "${act}"` }])
  if (Date.parse(at) <= Date.now()) throw invalid([{ pointer: '/at', detail: 'must be a time to come' }])
  return at
}

/** A body names something that is not there. */
function refuseUnknown(error: unknown, name: (typeof NAMES)[number]): never {
  if (!(error instanceof Problem) || error.statusCode !== 404) throw error
  throw unknown(name)
}

const KINDS = { broadcastId: 'broadcast', automationId: 'automation', templateId: 'template', contactId: 'contact' }

const unknown = (name: (typeof NAMES)[number]) =>
  unprocessable([
    { pointer: `/${name}`, detail: `is not ${/^a/.test(name) ? 'an' : 'a'} ${KINDS[name]} of this workspace` },
  ])
