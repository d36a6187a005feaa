import { invalid, notFound, planChanged, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { isOwnPassword } from '../auth/log-in.ts'
import { scheduleBroadcast, sendBroadcast } from '../broadcasts/run/start-broadcast.ts'
import { type ApprovalRow, approvalByIdStatement, approvalOf, decideApproval } from './approval-queries.ts'
import { freezePlan, type PlanDeps } from './freeze-plan.ts'
import { driftOf } from './plan-drift.ts'

type Target = { id: string; password?: string | undefined }

/**
 * Sends exactly what was asked for, or schedules it, in the name of the person; the decision and the start are committed
 * together. Throws 400 for a password that is missing or wrong, 404, 409 when it is decided, expired, or not what was asked for
 * any more, 422.
 */
export async function approve(deps: PlanDeps, caller: Caller, { id, password }: Target): Promise<ApprovalRow> {
  const { workspaceId } = caller
  const asked = await waitingApproval(deps, workspaceId, id)
  await stepUp(deps, caller, { asked, password })
  const requireReady = async (key: { workspaceId: string; id: string }) => {
    const now = await freezePlan(deps, key)
    const drift = driftOf(asked, now)
    if (drift !== undefined) throw planChanged(drift)
    return { updatedAt: now.updatedAt }
  }
  const acting: Caller = {
    ...caller,
    async onRecorded(tx, entry) {
      await decide(tx, caller, { asked, status: 'approved' })
      await caller.onRecorded?.(tx, entry)
    },
  }
  const { broadcastId, scheduledAt } = asked
  const starting = { sql: deps.sql, requireReady }
  if (scheduledAt === null) await sendBroadcast(starting, acting, { id: broadcastId })
  else if (Date.parse(scheduledAt) <= Date.now()) throw planChanged('The time it was to start at has passed.')
  else await scheduleBroadcast(starting, acting, { id: broadcastId, body: { scheduledAt }, approvalId: id })
  return readApproval(deps, workspaceId, id)
}

/** Turns a request down; the agent is told when it asks. Throws 404, 409. */
export async function reject(deps: Pick<PlanDeps, 'sql'>, caller: Caller, { id }: Target): Promise<ApprovalRow> {
  const { workspaceId } = caller
  const asked = await waitingApproval(deps, workspaceId, id)
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    await decide(tx, { ...caller }, { asked, status: 'rejected' })
  })
  return readApproval(deps, workspaceId, id)
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

/** Many people are written to only by somebody who shows that the session is theirs. */
async function stepUp(
  { sql }: Pick<PlanDeps, 'sql'>,
  caller: Caller,
  { asked, password }: { asked: ApprovalRow; password: string | undefined },
): Promise<void> {
  if (!asked.needsPassword) return
  if (password === undefined) throw invalid([{ pointer: '/password', detail: 'is required' }])
  const { requestId, ip, userAgent, actor } = caller
  const { rows } = await sql.query<{ id: string; email: string; name: string }>({
    name: 'user_of_approval',
    text: 'select id, email, name from users where id = $1',
    values: [actor.id],
  })
  const origin = { requestId, ip: ip ?? '', userAgent }
  if (rows[0] && (await isOwnPassword({ sql }, rows[0], { password, origin }))) return
  throw invalid([{ pointer: '/password', detail: 'is not your password' }])
}

type Decided = { asked: ApprovalRow; status: 'approved' | 'rejected' }

async function decide(tx: Transaction, caller: Caller, { asked, status }: Decided): Promise<void> {
  const { workspaceId, actor } = caller
  const by = { id: actor.id, name: actor.name }
  if (!(await decideApproval(tx, workspaceId, { id: asked.id, status, by })))
    throw wrongStatus('It was decided just now.')
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
}

function withoutMark({ onRecorded: _, ...caller }: Caller): Caller {
  return caller
}
