import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import { endAgentToken } from '../auth/agent-tokens.ts'
import type { Caller } from '../auth/caller.ts'
import type { Origin } from '../auth/people.ts'
import { agentSecretHash } from './agent-secret.ts'
import { lockSecret } from './secret-queries.ts'

type Deps = { sql: pg.Pool }
type Connection = { workspaceId: string; tokenId: string }
/** `by`: who ends it, when it is not ourselves. */
type Ending = { reason: string; by?: Omit<AuditOrigin, 'workspaceId'> }

const OURSELVES = {
  actor: { kind: 'system', id: null, name: null },
  requestId: null,
  ip: null,
  userAgent: null,
} as const

/** Ends a connection: whatever its agent shows is refused within a second. One that has ended stays as it is. */
export async function endConnection(
  tx: Transaction,
  { workspaceId, tokenId }: Connection,
  { reason, by = OURSELVES }: Ending,
): Promise<void> {
  const name = await endAgentToken(tx, { workspaceId, id: tokenId })
  if (name === undefined) return
  await recordAudit(
    tx,
    { workspaceId, ...by },
    {
      action: 'agent.disconnect',
      target: { type: 'agent', id: tokenId, name },
      diff: { reason: { from: null, to: reason } },
    },
  )
}

/** A person ends the connection of an agent. Doing it again changes nothing; throws 404 when there is none. */
export async function disconnectAgent({ sql }: Deps, caller: Caller, tokenId: string): Promise<void> {
  const { workspaceId, ...by } = caller
  const [found] = await queryInScope(sql, workspaceId, {
    name: 'agent_grant',
    text: 'select from agent_grants where workspace_id = $1 and token_id = $2 and connected_at is not null',
    values: [workspaceId, tokenId],
  })
  if (found === undefined) throw notFound()
  await inTransaction(sql, workspaceId, (tx) => endConnection(tx, { workspaceId, tokenId }, { reason: 'person', by }))
}

/**
 * A client gives a token back (RFC 7009): either of its tokens ends the connection. An unknown one is no error. False for one that
 * another client has.
 */
export async function giveBackToken(
  { sql }: Deps,
  { secret, clientId, origin }: { secret: string; clientId: string; origin: Origin },
): Promise<boolean> {
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const found = await lockSecret(tx, agentSecretHash(secret))
    if (found === undefined) return true
    if (found.clientId !== clientId) return false
    const actor = { kind: 'api_token', id: found.tokenId, name: null } as const
    await endConnection(tx, found, { reason: 'agent', by: { actor, ...origin } })
    return true
  })
}
