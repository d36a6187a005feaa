import { missingPermission, notFound, planChanged, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { requireStepUp, type Shown, type StepUpDeps } from '../second-factor/step-up.ts'
import type { PlanDeps } from './acts/act.ts'
import { ACTS } from './acts/acts.ts'
import { type ApprovalRow, approvalByIdStatement, approvalOf, decideApproval } from './approval-queries.ts'
import { grant } from './grant.ts'

type Decision = { id: string }

/**
 * Does exactly what was asked for in the name of the person; the decision and the act are committed together. Throws 400
 * for a password or code that is missing or wrong, 403 without the permission of the act itself, 404, 409 when it is decided, expired,
 * or not what was asked for any more, 422, 429.
 */
export async function approve(
  deps: PlanDeps & StepUpDeps,
  caller: Caller,
  { id, ...shown }: Decision & Shown,
): Promise<ApprovalRow> {
  const { workspaceId } = caller
  const asked = await waitingApproval(deps, workspaceId, id)
  const { needs } = ACTS[asked.act]
  if (!caller.scopes.has(needs)) throw missingPermission(needs)
  // Many people are written to only by somebody who shows that the session is theirs.
  if (asked.needsPassword) await requireStepUp(deps, caller, shown)
  return grant(deps, caller, { asked, decide: (tx) => decide(tx, caller, { asked, status: 'approved' }) })
}

/** Turns a request down; the agent is told when it asks. Throws 404, 409. */
export async function reject(deps: Pick<PlanDeps, 'sql'>, caller: Caller, { id }: Decision): Promise<ApprovalRow> {
  const { workspaceId } = caller
  const asked = await waitingApproval(deps, workspaceId, id)
  return inTransaction(deps.sql, workspaceId, (tx) => decide(tx, caller, { asked, status: 'rejected' }))
}

/** Throws 404. */
export async function readApproval({ sql }: Pick<PlanDeps, 'sql'>, workspaceId: string, id: string) {
  const [stored] = await queryInScope(sql, workspaceId, approvalByIdStatement(workspaceId, id))
  if (!stored) throw notFound()
  return approvalOf(stored)
}

async function waitingApproval(deps: Pick<PlanDeps, 'sql'>, workspaceId: string, id: string): Promise<ApprovalRow> {
  const approval = await readApproval(deps, workspaceId, id)
  if (approval.status === 'expired') throw planChanged('It has expired.')
  if (approval.status !== 'waiting') throw wrongStatus(`It is ${approval.status} already.`)
  return approval
}

type Decided = { asked: ApprovalRow; status: 'approved' | 'rejected' }

async function decide(tx: Transaction, caller: Caller, { asked, status }: Decided): Promise<ApprovalRow> {
  const { workspaceId, actor } = caller
  const by = { id: actor.id, name: actor.name }
  const decided = await decideApproval(tx, workspaceId, { id: asked.id, status, by })
  if (!decided) throw wrongStatus('It was decided just now.')
  const { tokenId, tokenName, client } = asked.askedBy
  await recordAudit(
    tx,
    // The claim of a repeated request is marked by the act itself.
    status === 'approved' ? withoutMark(caller) : caller,
    {
      action: status === 'approved' ? 'approval.approve' : 'approval.reject',
      target: { type: 'approval', id: asked.id, name: asked.plan.name },
      diff: {
        status: { from: 'waiting', to: status },
        contentHash: { from: null, to: asked.contentHash.toString('hex') },
        askedBy: { from: null, to: { tokenId, tokenName, client } },
      },
    },
  )
  return decided
}

function withoutMark({ onRecorded: _, ...caller }: Caller): Caller {
  return caller
}
