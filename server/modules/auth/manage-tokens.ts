import type pg from 'pg'
import { invalidToken, missingPermission, missingScope, notFound, unprocessable } from '../../catalogue/problems.ts'
import type { Scope } from '../../catalogue/scopes.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from './caller.ts'
import { lockRole } from './people.ts'
import { insertToken, lockMaker, markRevoked, type TokenMaker, type TokenRow, tokenById, tokensOf } from './queries.ts'
import { ROLE_PERMISSIONS } from './roles.ts'
import { makeToken, publicIdOf, tokenHash } from './token-format.ts'

type Deps = { sql: pg.Pool }

export type TokenInfo = Omit<TokenRow, 'publicId'> & { prefix: string | null }
export type NewToken = { name: string; scopes: readonly Scope[]; expiresAt?: string | null }

/**
 * Makes a token; the answer holds the only copy of it. 403 when it would grant what its maker may not do, 422 when it
 * would have expired already, or would outlive its maker.
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

/** Stores a given token in the caller's transaction. One that a token makes can do no more than that, and ends with it at the latest. */
export async function storeToken(
  tx: Transaction,
  caller: Caller,
  input: NewToken & { token: string },
): Promise<TokenInfo> {
  const maker = await makerOf(tx, caller)
  const beyond = input.scopes.find((scope) => !caller.scopes.has(scope) || (scope === 'mcp:send' && maker.isOff))
  if (beyond !== undefined) throw missingScope(beyond)
  const expiresAt = endOf(input, maker)
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

/** When a token asks to end, within the life of its maker; with that where it asks for nothing. */
function endOf({ expiresAt: asked }: NewToken, { expiresAt: latest }: TokenMaker): string | null {
  const expiresAt = asked ? (toUtc(asked) ?? null) : latest
  if (expiresAt === null) return null
  if (Date.parse(expiresAt) <= Date.now())
    throw unprocessable([{ pointer: '/expiresAt', detail: 'must be in the future' }])
  if (latest !== null && Date.parse(expiresAt) > Date.parse(latest))
    throw unprocessable([{ pointer: '/expiresAt', detail: 'must not be after that of the token that makes it' }])
  return expiresAt
}

const UNBOUNDED: TokenMaker = { expiresAt: null, isOff: false }

/**
 * The bounds of the maker of a token, who is held until the transaction ends: a token that was revoked makes none, and neither does a person who lost the role that
 * makes some, which those who took it would not look for any more. Persons have no bounds of this kind, nor has the operator.
 */
async function makerOf(tx: Transaction, { workspaceId, actor }: Caller): Promise<TokenMaker> {
  if (actor.id === null) return UNBOUNDED
  if (actor.kind === 'user') {
    const role = await lockRole(tx, workspaceId, actor.id)
    if (role === undefined || !ROLE_PERMISSIONS[role].has('tokens:write')) throw missingPermission('tokens:write')
  }
  if (actor.kind !== 'api_token') return UNBOUNDED
  const maker = await lockMaker(tx, workspaceId, actor.id)
  if (maker === undefined) throw invalidToken()
  return maker
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
