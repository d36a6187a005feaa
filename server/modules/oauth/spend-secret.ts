import { createHash } from 'node:crypto'
import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../../platform/durations.ts'
import { extendAgentToken } from '../auth/agent-tokens.ts'
import { agentSecretHash, makeAgentSecret } from './agent-secret.ts'
import { endConnection } from './end-connection.ts'
import { type FoundSecret, insertSecret, lockSecret } from './secret-queries.ts'

export const ACCESS_SECONDS = HOUR_SECONDS
/** An agent that nobody uses for so long is connected no more. */
export const IDLE_DAYS_MAX = 30

export type Tokens = { outcome: 'given'; access: string; refresh: string; scopes: readonly string[] }
/** `words` say what is wrong to whoever writes a client; the error is the same for everything that is wrong with a secret. */
export type Refused = { outcome: 'refused'; error: 'invalid_grant'; words: string }

export type Code = { kind: 'code'; secret: string; clientId: string; redirectUri: string; verifier: string }
export type Refresh = { kind: 'refresh'; secret: string; clientId: string }

/**
 * Gives a pair of tokens for a code or for the refresh token of the pair before. Each works once: whoever shows one again shows that
 * two have it, and the connection ends for both (RFC 9700 section 4.14.2).
 */
export async function spendSecret({ sql }: { sql: pg.Pool }, shown: Code | Refresh): Promise<Tokens | Refused> {
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const hash = agentSecretHash(shown.secret)
    const found = await lockSecret(tx, hash)
    if (found?.kind !== shown.kind || found.over) return refused('It is unknown, over, or the connection has ended.')
    if (found.used) {
      await endConnection(tx, found, { reason: `${shown.kind}_used_twice` })
      return refused('It was used before, so that somebody else may have it: the connection has ended.')
    }
    const fault = shown.clientId === found.clientId ? faultOf(shown, found) : 'It was given to another client.'
    if (fault !== undefined) return refused(fault)
    await tx.query('update agent_secrets set used_at = now() where workspace_id = $1 and hash = $2', [
      found.workspaceId,
      hash,
    ])
    return givePair(tx, found)
  })
}

function faultOf(shown: Code | Refresh, found: FoundSecret): string | undefined {
  if (shown.kind === 'refresh') return undefined
  if (shown.redirectUri !== found.redirectUri) return 'The redirect_uri is not the one that the code was sent to.'
  const challenge = createHash('sha256').update(shown.verifier).digest('base64url')
  return challenge === found.codeChallenge ? undefined : 'The code_verifier is not that of the code_challenge.'
}

async function givePair(tx: Transaction, { workspaceId, tokenId, scopes }: FoundSecret): Promise<Tokens> {
  const [access, refresh] = [makeAgentSecret('access'), makeAgentSecret('refresh')]
  const key = { workspaceId, tokenId }
  await insertSecret(tx, { ...key, kind: 'access', hash: access.hash, seconds: ACCESS_SECONDS })
  await insertSecret(tx, { ...key, kind: 'refresh', hash: refresh.hash, seconds: IDLE_DAYS_MAX * DAY_SECONDS })
  await tx.query({
    name: 'note_agent_connected',
    text: `update agent_grants set connected_at = now()
      where workspace_id = $1 and token_id = $2 and connected_at is null`,
    values: [workspaceId, tokenId],
  })
  await extendAgentToken(tx, { workspaceId, id: tokenId }, IDLE_DAYS_MAX)
  return { outcome: 'given', access: access.secret, refresh: refresh.secret, scopes }
}

function refused(words: string): Refused {
  return { outcome: 'refused', error: 'invalid_grant', words }
}
