import type { Queryable } from '../../platform/db/transaction.ts'
import { isClosedTo } from '../auth/sessions.ts'
import type { SecretKind } from './agent-secret.ts'

export type FoundSecret = {
  workspaceId: string
  tokenId: string
  kind: SecretKind
  clientId: string
  scopes: string[]
  codeChallenge: string | null
  redirectUri: string | null
  used: boolean
  /** Since it was used; null where it was not. */
  usedSeconds: number | null
  /** It is over, the connection is, or the person who made it has left or is kept out until they have a second factor. */
  over: boolean
}

/** The secret of this hash in whatever workspace, held until the transaction ends: of two who show it at once one is the second. */
export async function lockSecret(tx: Queryable, hash: Buffer): Promise<FoundSecret | undefined> {
  const { rows } = await tx.query<FoundSecret>({
    name: 'lock_agent_secret',
    text: `select s.workspace_id as "workspaceId", s.token_id as "tokenId", s.kind, g.client_id as "clientId", t.scopes,
        s.code_challenge as "codeChallenge", s.redirect_uri as "redirectUri", s.used_at is not null as used,
        ceil(extract(epoch from clock_timestamp() - s.used_at))::int as "usedSeconds",
        s.expires_at <= clock_timestamp() or t.revoked_at is not null or m.user_id is null
          or ${isClosedTo('g.user_id')} as over
      from agent_secrets s
      join agent_grants g on g.workspace_id = s.workspace_id and g.token_id = s.token_id
      join api_tokens t on t.workspace_id = s.workspace_id and t.id = s.token_id
      join workspaces w on w.id = s.workspace_id
      left join memberships m on m.workspace_id = g.workspace_id and m.user_id = g.user_id
      where s.hash = $1
      for update of s`,
    values: [hash],
  })
  return rows[0]
}

/** Whether a secret is there, and nobody has used it. */
export async function isUnused(tx: Queryable, workspaceId: string, hash: Buffer): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'is_agent_secret_unused',
    text: 'select from agent_secrets where workspace_id = $1 and hash = $2 and used_at is null',
    values: [workspaceId, hash],
  })
  return rows.length > 0
}

type NewSecret = {
  workspaceId: string
  tokenId: string
  kind: SecretKind
  hash: Buffer
  seconds: number
  codeChallenge?: string
  redirectUri?: string
}

/** Stores a secret that is good for so many seconds. */
export async function insertSecret(tx: Queryable, secret: NewSecret): Promise<void> {
  const { workspaceId, tokenId, kind, hash, seconds, codeChallenge = null, redirectUri = null } = secret
  await tx.query({
    name: 'insert_agent_secret',
    text: `insert into agent_secrets (workspace_id, token_id, kind, hash, expires_at, code_challenge, redirect_uri)
      values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7)`,
    values: [workspaceId, tokenId, kind, hash, seconds, codeChallenge, redirectUri],
  })
}
