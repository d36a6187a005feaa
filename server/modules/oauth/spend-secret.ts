import { createHash, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../../platform/durations.ts'
import { extendAgentToken } from '../auth/agent-tokens.ts'
import { type AgentSecret, agentSecretHash, followingSecret, makeAgentSecret } from './agent-secret.ts'
import { endConnection } from './end-connection.ts'
import { type FoundSecret, insertSecret, isUnused, lockSecret } from './secret-queries.ts'

export const ACCESS_SECONDS = HOUR_SECONDS
/** An agent that nobody uses for so long is connected no more. */
export const IDLE_DAYS_MAX = 30
/** An answer that was lost on its way is given again for so long. */
const LOST_ANSWER_SECONDS = 30

export type Tokens = {
  outcome: 'given'
  access: string
  /** For so long the access token is good. */
  seconds: number
  refresh: string
  scopes: readonly string[]
}
/** `words` say what is wrong to whoever writes a client; the error is the same for everything that is wrong with a secret. */
export type Refused = { outcome: 'refused'; error: 'invalid_grant'; words: string }

export type Code = { kind: 'code'; secret: string; clientId: string; redirectUri: string; verifier: string }
export type Refresh = { kind: 'refresh'; secret: string; clientId: string }

/**
 * Gives a pair of tokens for a code or for the refresh token of the pair before. Each works once: whoever shows one again shows that
 * two have it, and the connection ends for both (RFC 9700 section 4.14.2). A refresh token that its client shows again at once, while
 * nobody has used the one that came of it, is a client that did not get the answer: it gets the same again.
 */
export async function spendSecret(
  { sql, keys }: { sql: pg.Pool; keys: SecretKeys },
  shown: Code | Refresh,
): Promise<Tokens | Refused> {
  // The first is the current one; an answer of before a rotation was made with another.
  const [key, ...others] = derivedKeys(keys, 'postroom agent secrets')
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const hash = agentSecretHash(shown.secret)
    const found = await lockSecret(tx, hash)
    if (found?.kind !== shown.kind || found.over) return refused('It is unknown, over, or the connection has ended.')
    if (found.used) {
      for (const one of [key, ...others]) {
        const pair = pairOf(shown, one)
        if (await isLost(tx, found, { shown, pair })) return tokensOf(found, pair)
      }
      await endConnection(tx, found, { reason: `${shown.kind}_used_twice` })
      return refused('It was used before, so that somebody else may have it: the connection has ended.')
    }
    const fault = shown.clientId === found.clientId ? faultOf(shown, found) : 'It was given to another client.'
    if (fault !== undefined) return refused(fault)
    await tx.query('update agent_secrets set used_at = now() where workspace_id = $1 and hash = $2', [
      found.workspaceId,
      hash,
    ])
    return givePair(tx, found, pairOf(shown, key))
  })
}

function faultOf(shown: Code | Refresh, found: FoundSecret): string | undefined {
  if (shown.kind === 'refresh') return undefined
  if (shown.redirectUri !== found.redirectUri) return 'The redirect_uri is not the one that the code was sent to.'
  const challenge = createHash('sha256').update(shown.verifier).digest('base64url')
  return challenge === found.codeChallenge ? undefined : 'The code_verifier is not that of the code_challenge.'
}

type Pair = { access: AgentSecret; refresh: AgentSecret }

function pairOf(shown: Code | Refresh, key: KeyObject): Pair {
  if (shown.kind === 'code') return { access: makeAgentSecret('access'), refresh: makeAgentSecret('refresh') }
  const { secret } = shown
  return { access: followingSecret('access', secret, key), refresh: followingSecret('refresh', secret, key) }
}

/** Whether the pair was given before in an answer that was lost, as far as anybody can tell. */
async function isLost(
  tx: Transaction,
  { workspaceId, usedSeconds, clientId }: FoundSecret,
  { shown, pair }: { shown: Code | Refresh; pair: Pair },
): Promise<boolean> {
  if (shown.kind !== 'refresh' || shown.clientId !== clientId) return false
  return usedSeconds !== null && usedSeconds <= LOST_ANSWER_SECONDS && isUnused(tx, workspaceId, pair.refresh.hash)
}

function tokensOf({ scopes, usedSeconds }: FoundSecret, { access, refresh }: Pair): Tokens {
  const seconds = ACCESS_SECONDS - (usedSeconds ?? 0)
  return { outcome: 'given', access: access.secret, seconds, refresh: refresh.secret, scopes }
}

async function givePair(tx: Transaction, found: FoundSecret, pair: Pair): Promise<Tokens> {
  const { workspaceId, tokenId } = found
  const { access, refresh } = pair
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
  return tokensOf(found, pair)
}

function refused(words: string): Refused {
  return { outcome: 'refused', error: 'invalid_grant', words }
}
