import type pg from 'pg'
import { invalid, missingScope, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { readToken } from '../../auth/manage-tokens.ts'
import { requireStepUp, type StepUpDeps } from '../../second-factor/step-up.ts'
import { PASSWORD_FROM } from '../approval-queries.ts'
import type { Budget, SendPolicy, SendPolicyBody } from './schemas.ts'
import {
  lockPolicy,
  policyOf,
  policyStatement,
  segmentsThere,
  spentStatement,
  stillCoveredStatement,
  type TokenKey,
  writePolicy,
} from './send-policy-queries.ts'

type Deps = { sql: pg.Pool }

/** How far a token goes by itself, and how much of that it has done. */
export function readPolicy({ sql }: Deps, key: TokenKey): Promise<SendPolicy> {
  return inTransaction(sql, key.workspaceId, (tx) => policyWithin(tx, key))
}

/** The same as a transaction sees it, with what that has changed itself. */
async function policyWithin(tx: Transaction, key: TokenKey): Promise<SendPolicy> {
  const [policies, spent] = await Promise.all([tx.query(policyStatement(key)), tx.query(spentStatement(key))])
  return { ...policyOf(policies.rows[0]), spent: spent.rows[0]! }
}

/** The same of a token of the workspace. Throws 404. */
export async function readPolicyOf(deps: Deps, key: TokenKey): Promise<SendPolicy> {
  await readToken(deps, key.workspaceId, key.tokenId)
  return readPolicy(deps, key)
}

/** Sets how far a token goes by itself. Throws 400, also for a password or code that is missing or wrong, 404, 422, 429. */
export async function setPolicy(
  deps: StepUpDeps,
  caller: Caller,
  { tokenId, body }: { tokenId: string; body: SendPolicyBody },
): Promise<SendPolicy> {
  const key = { workspaceId: caller.workspaceId, tokenId }
  const { name } = await readToken(deps, key.workspaceId, tokenId)
  const budget = readBudget(body)
  if (budget !== null && budget.recipientsPerSend > PASSWORD_FROM) await requireStepUp(deps, caller, body)
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const { segmentIds } = budget ?? { segmentIds: null }
    const there = await segmentsThere(tx, key.workspaceId, segmentIds ?? [])
    const missing = (segmentIds ?? []).flatMap((id, n): FieldError[] =>
      there.has(id) ? [] : [{ pointer: `/budget/segmentIds/${n}`, detail: 'is not a segment of this workspace' }],
    )
    if (missing.length > 0) throw unprocessable(missing)
    const before = await lockPolicy(tx, key)
    await writePolicy(tx, key, { mode: body.mode, budget })
    await recordAudit(tx, caller, {
      action: 'api_token.set_send_policy',
      target: { type: 'api_token', id: tokenId, name },
      diff: { mode: { from: before.mode, to: body.mode }, budget: { from: before.budget, to: budget } },
    })
    return policyWithin(tx, key)
  })
}

function readBudget({ mode, budget }: SendPolicyBody): Budget | null {
  if ((mode === 'budget') !== (budget !== undefined))
    throw invalid([
      {
        pointer: '/budget',
        detail: mode === 'budget' ? 'is required beside "mode": "budget"' : `does not go with "${mode}"`,
      },
    ])
  if (budget === undefined) return null
  const segmentIds = budget.segmentIds ?? null
  const beyond = segmentIds?.findIndex(isBeyondIds) ?? -1
  if (beyond >= 0)
    throw unprocessable([{ pointer: `/budget/segmentIds/${beyond}`, detail: 'is not a segment of this workspace' }])
  const hours = budget.hours ?? null
  if (hours === null) return { ...budget, segmentIds, hours }
  const zone = timeZoneNamed(hours.zone)
  if (zone === undefined) throw unprocessable([{ pointer: '/budget/hours/zone', detail: 'is not an IANA time zone' }])
  if (hours.from === hours.until)
    throw unprocessable([{ pointer: '/budget/hours/until', detail: 'must be another time than "from"' }])
  return { ...budget, segmentIds: segmentIds && [...new Set(segmentIds)], hours: { ...hours, zone } }
}

/** A token whose asking somebody has switched off is as one without the scope. */
export async function requireMayAsk({ sql }: Deps, { workspaceId, actor }: Caller): Promise<void> {
  const [stored] = await queryInScope(sql, workspaceId, policyStatement({ workspaceId, tokenId: actor.id! }))
  if (policyOf(stored).mode === 'off') throw missingScope('mcp:send')
}

/** Whether the budget of a token covers so many people at once; not where it, or the token, was taken away. */
export async function isStillCovered({ sql }: Deps, key: TokenKey, recipientsCount: number): Promise<boolean> {
  return (await queryInScope(sql, key.workspaceId, stillCoveredStatement(key, recipientsCount))).length > 0
}
