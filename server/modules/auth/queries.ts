import type pg from 'pg'
import type { Scope } from '../../catalogue/scopes.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { signalOf } from '../../platform/jobs/wake.ts'
import type { Role } from './roles.ts'
import { isClosedTo } from './sessions.ts'

export type TokenRow = {
  id: string
  name: string
  publicId: string | null
  scopes: Scope[]
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  createdAt: string
  updatedAt: string
}

const TOKEN_COLUMNS = `id, name, public_id as "publicId", scopes, expires_at as "expiresAt", revoked_at as "revokedAt",
  last_used_at as "lastUsedAt", created_at as "createdAt", updated_at as "updatedAt"`

export type FoundToken = {
  workspaceId: string
  id: string
  name: string
  scopes: Scope[]
  expiresAt: string | null
  /** Of the token of an agent: what the person who connected it is by now. Null for every other token. */
  roleOfPerson: Role | null
}

/**
 * The token with this hash, in whatever workspace, unless it was revoked; or the one that an agent acts under whose access token has
 * this hash, as long as the person who connected it is a member whom the workspace lets in.
 */
export async function tokenByHash(sql: pg.Pool, hash: Buffer): Promise<FoundToken | undefined> {
  const rows = await queryInScope<FoundToken>(sql, ALL_WORKSPACES, {
    name: 'token-by-hash',
    text: `select workspace_id as "workspaceId", id, name, scopes, expires_at as "expiresAt", null as "roleOfPerson"
           from api_tokens where hash = $1 and revoked_at is null
           union all
           select t.workspace_id, t.id, t.name, t.scopes, s.expires_at, m.role
           from agent_secrets s
           join api_tokens t on t.workspace_id = s.workspace_id and t.id = s.token_id and t.revoked_at is null
           join agent_grants g on g.workspace_id = s.workspace_id and g.token_id = s.token_id
           join memberships m on m.workspace_id = g.workspace_id and m.user_id = g.user_id
           join workspaces w on w.id = g.workspace_id
           where s.hash = $1 and s.kind = 'access' and not ${isClosedTo('g.user_id')}
           order by id limit 1`,
    values: [hash],
  })
  return rows[0]
}

type NewToken = {
  workspaceId: string
  name: string
  publicId: string | null
  hash: Buffer
  scopes: readonly Scope[]
  expiresAt: string | null
}

export async function insertToken(tx: Transaction, token: NewToken): Promise<TokenRow> {
  const { rows } = await tx.query<TokenRow>(
    `insert into api_tokens (workspace_id, name, public_id, hash, scopes, expires_at)
     values ($1, $2, $3, $4, $5::text[], $6) returning ${TOKEN_COLUMNS}`,
    [token.workspaceId, token.name, token.publicId, token.hash, textArray(token.scopes), token.expiresAt],
  )
  return rows[0]!
}

/** `isOff`: somebody has taken from it the right to ask for acts. */
export type TokenMaker = { expiresAt: string | null; isOff: boolean }

/** Bounds of a token for those it makes, which is not revoked before the transaction ends; undefined for one that is. */
export async function lockMaker(tx: Transaction, workspaceId: string, id: string): Promise<TokenMaker | undefined> {
  const { rows } = await tx.query<TokenMaker>({
    name: 'lock-token-maker',
    text: `select t.expires_at as "expiresAt", coalesce(p.mode = 'off', false) as "isOff"
           from api_tokens t left join send_policies p on p.workspace_id = t.workspace_id and p.token_id = t.id
           where t.workspace_id = $1 and t.id = $2 and t.revoked_at is null for share of t`,
    values: [workspaceId, id],
  })
  return rows[0]
}

type TokenPage = { workspaceId: string; offset: number; limit: number }

/** Those of connected agents have a list of their own (`oauth`). */
const MADE_BY_HAND = `workspace_id = $1 and not exists (
  select from agent_grants g where g.workspace_id = $1 and g.token_id = api_tokens.id)`

/** Tokens are made by hand, so that counting them costs nothing. */
export async function tokensOf(sql: pg.Pool, { workspaceId, offset, limit }: TokenPage) {
  const rows = await queryInScope<TokenRow>(sql, workspaceId, {
    text: `select ${TOKEN_COLUMNS} from api_tokens where ${MADE_BY_HAND} order by id offset $2 limit $3`,
    values: [workspaceId, offset, limit],
  })
  const [count] = await queryInScope<{ total: string }>(sql, workspaceId, {
    text: `select count(*) as total from api_tokens where ${MADE_BY_HAND}`,
    values: [workspaceId],
  })
  return { rows, total: Number(count?.total ?? 0) }
}

export async function tokenById(sql: pg.Pool, workspaceId: string, id: string): Promise<TokenRow | undefined> {
  const [row] = await queryInScope<TokenRow>(sql, workspaceId, {
    text: `select ${TOKEN_COLUMNS} from api_tokens where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  })
  return row
}

/** Signaled of each token that a commit revokes, so that processes which hear of it forget what they know of that one. */
export const TOKENS_SIGNAL = 'tokens'

/** Marks a token revoked, once; `revoked` is whether it was this call that did. Undefined when there is no such token. */
export async function markRevoked(tx: Transaction, workspaceId: string, id: string) {
  const { rows } = await tx.query<{ id: string; name: string; revoked: boolean }>(
    `with before as (select id, name, revoked_at from api_tokens where workspace_id = $1 and id = $2 for update),
       change as (update api_tokens t set revoked_at = now(), updated_at = now() from before b
                  where t.workspace_id = $1 and t.id = b.id and b.revoked_at is null)
     select id, name, revoked_at is null as revoked from before`,
    [workspaceId, id],
  )
  if (rows[0]?.revoked) tx.signal(signalOf(TOKENS_SIGNAL, rows[0].id))
  return rows[0]
}

export type TokenUse = { workspaceId: string; id: string; at: string }

/** Keeps when tokens were last used, at most once a minute each. */
export async function writeTokenUses(sql: pg.Pool, uses: readonly TokenUse[]): Promise<void> {
  await queryInScope(sql, ALL_WORKSPACES, {
    name: 'write-token-uses',
    text: `update api_tokens t set last_used_at = u.at
           from unnest($1::int8[], $2::int8[], $3::text[]::timestamptz[]) as u (workspace_id, id, at)
           where t.workspace_id = u.workspace_id and t.id = u.id
             and (t.last_used_at is null or t.last_used_at < u.at - interval '1 minute')`,
    values: [
      int8Array(uses.map((use) => use.workspaceId)),
      int8Array(uses.map((use) => use.id)),
      textArray(uses.map((use) => use.at)),
    ],
  })
}
