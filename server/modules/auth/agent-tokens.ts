import type pg from 'pg'
import type { Scope } from '../../catalogue/scopes.ts'
import { makeOneTimeToken } from '../../platform/crypto/one-time-token.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'
import { signalOf } from '../../platform/jobs/wake.ts'
import { type Actor, type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Origin, User } from './people.ts'
import { insertToken, markRevoked, TOKENS_SIGNAL } from './queries.ts'

export type AgentToken = { workspaceId: string; id: string }

/**
 * Stores the token that a connected agent acts under, and answers its id. Nobody has it, or ever had: the agent shows secrets of its
 * own (`oauth`), which lead to it.
 */
export async function storeAgentToken(
  tx: Transaction,
  token: { workspaceId: string; name: string; scopes: readonly Scope[]; expiresAt: string },
): Promise<string> {
  const { id } = await insertToken(tx, { ...token, publicId: null, hash: makeOneTimeToken().hash })
  return id
}

/** Has it end so many days from now. */
export async function extendAgentToken(tx: Transaction, { workspaceId, id }: AgentToken, days: number): Promise<void> {
  await tx.query({
    name: 'extend-agent-token',
    text: `update api_tokens set expires_at = now() + make_interval(days => $3), updated_at = now()
           where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, days],
  })
}

/** Ends it within a second on every process. Its name when it was this call that did; undefined otherwise. */
export async function endAgentToken(tx: Transaction, { workspaceId, id }: AgentToken): Promise<string | undefined> {
  const found = await markRevoked(tx, workspaceId, id)
  return found?.revoked ? found.name : undefined
}

/** Ends the connections of a person who leaves the workspace: coming back, they connect their agents anew. */
export async function endAgentsOf(tx: Transaction, by: AuditOrigin, userId: string): Promise<void> {
  await endAgents(tx, { userId, workspaceId: by.workspaceId, reason: 'person_left', by })
}

/** Reasons for which the agents of a person end in all of their workspaces: somebody else may have been in, and connected them. */
export type WhyAllEnd = 'password_changed' | 'second_factor_reset'

/** Ends the connections of a person in all of their workspaces. `by` is the person where no actor is named. */
export async function endAllAgentsOf(
  tx: Transaction,
  user: User,
  {
    reason,
    actor = { kind: 'user', id: user.id, name: user.name },
    ...origin
  }: Origin & { reason: WhyAllEnd; actor?: Actor },
): Promise<void> {
  await endAgents(tx, { userId: user.id, workspaceId: null, reason, by: { actor, ...origin } })
}

type Ending = { userId: string; workspaceId: string | null; reason: string; by: Omit<AuditOrigin, 'workspaceId'> }

async function endAgents(tx: Transaction, { userId, workspaceId, reason, by }: Ending): Promise<void> {
  const { rows } = await tx.query<{ workspaceId: string; id: string; name: string }>({
    name: 'end-agents-of-person',
    text: `update api_tokens t set revoked_at = now(), updated_at = now() from agent_grants g
           where g.user_id = $1 and ($2::bigint is null or g.workspace_id = $2)
             and t.workspace_id = g.workspace_id and t.id = g.token_id and t.revoked_at is null
           returning t.workspace_id as "workspaceId", t.id, t.name`,
    values: [userId, workspaceId],
  })
  for (const { id } of rows) tx.signal(signalOf(TOKENS_SIGNAL, id))
  for (const { workspaceId, id, name } of rows) {
    await recordAudit(
      tx,
      { ...by, workspaceId },
      {
        action: 'agent.disconnect',
        target: { type: 'agent', id, name },
        diff: { reason: { from: null, to: reason } },
      },
    )
  }
}

/** Deletes those whose agent never came for what it was given. */
export async function deleteForsakenAgentTokens(sql: pg.Pool): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, {
    from: 'api_tokens',
    where: `expires_at < now() - interval '1 hour' and exists (select from agent_grants g
      where g.workspace_id = api_tokens.workspace_id and g.token_id = api_tokens.id and g.connected_at is null)`,
  })
}
