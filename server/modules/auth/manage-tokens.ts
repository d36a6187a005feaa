import type pg from 'pg'
import { missingScope, notFound, unprocessable } from '../../catalogue/problems.ts'
import type { Scope } from '../../catalogue/scopes.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from './caller.ts'
import { insertToken, markRevoked, type TokenRow, tokenById, tokensOf } from './queries.ts'
import { makeToken, publicIdOf, tokenHash } from './token-format.ts'

type Deps = { sql: pg.Pool }

export type TokenInfo = Omit<TokenRow, 'publicId'> & { prefix: string | null }
export type NewToken = { name: string; scopes: readonly Scope[]; expiresAt?: string | null }

/**
 * Makes a token; the answer holds the only copy of it. 403 when it would grant what its maker may not do, 422 when it
 * would have expired already.
 */
export async function createToken(
  deps: Deps,
  caller: Caller,
  input: NewToken,
): Promise<{ token: string; tokenInfo: TokenInfo }> {
  const { token } = makeToken()
  const tokenInfo = await inTransaction(deps.sql, caller.workspaceId, (tx) =>
    storeToken(tx, caller, { ...input, token }),
  )
  return { token, tokenInfo }
}

/** Stores a given token in the caller's transaction. */
export async function storeToken(
  tx: Transaction,
  caller: Caller,
  input: NewToken & { token: string },
): Promise<TokenInfo> {
  const beyond = input.scopes.find((scope) => !caller.scopes.has(scope))
  if (beyond !== undefined) throw missingScope(beyond)
  const expiresAt = input.expiresAt ? (toUtc(input.expiresAt) ?? null) : null
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    throw unprocessable([{ pointer: '/expiresAt', detail: 'must be in the future' }])
  }
  const row = await insertToken(tx, {
    workspaceId: caller.workspaceId,
    name: input.name,
    publicId: publicIdOf(input.token) ?? null,
    hash: Buffer.from(tokenHash(input.token), 'hex'),
    scopes: [...new Set(input.scopes)].sort(),
    expiresAt,
  })
  await recordAudit(tx, caller, {
    action: 'api_token.create',
    target: { type: 'api_token', id: row.id, name: row.name },
    diff: { scopes: { from: null, to: row.scopes }, expiresAt: { from: null, to: row.expiresAt } },
  })
  return infoOf(row)
}

export async function listTokens(
  deps: Deps,
  workspaceId: string,
  query: PageQuery,
): Promise<{ items: TokenInfo[]; total: number }> {
  const { rows, total } = await tokensOf(deps.sql, { workspaceId, offset: rowsBefore(query), limit: query.pageSize })
  return { items: rows.map(infoOf), total }
}

/** 404 when the workspace has no such token. */
export async function readToken(deps: Deps, workspaceId: string, id: string): Promise<TokenInfo> {
  const row = await tokenById(deps.sql, workspaceId, id)
  if (row === undefined) throw notFound()
  return infoOf(row)
}

/** Ends a token within a second on every process. Doing it again changes nothing; 404 when there is no such token. */
export async function revokeToken(deps: Deps, caller: Caller, id: string): Promise<void> {
  await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const found = await markRevoked(tx, caller.workspaceId, id)
    if (found === undefined) throw notFound()
    if (!found.revoked) return
    await recordAudit(tx, caller, { action: 'api_token.revoke', target: { type: 'api_token', id, name: found.name } })
  })
}

function infoOf({ publicId, ...row }: TokenRow): TokenInfo {
  return { ...row, prefix: publicId === null ? null : `prt_${publicId}` }
}
