import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { createToken, listTokens, revokeToken } from './manage-tokens.ts'
import { MadeToken, NewToken, TokenInfo } from './schemas.ts'

/** Tokens, managed with a token under `/api/auth/tokens` or by a person in the dashboard. */
export function tokenRoutes(app: HttpApp, deps: { sql: pg.Pool }, door: Door): void {
  const path = door.family === 'Site' ? '/tokens' : '/auth/tokens'
  const routes = routesOf(app, door, { path, family: 'Tokens' })

  routes.get('', 'list', {
    needs: 'tokens:read',
    summary: 'List API tokens',
    description: 'Revoked ones included. The tokens themselves are never shown again.',
    query: PageQuery,
    answers: { 200: pageOf(TokenInfo) },
    handle: async (request) => {
      const { items, total } = await listTokens(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'tokens:write',
    summary: 'Create an API token',
    description:
      'The token is in this answer and nowhere else, a repeat with the same `Idempotency-Key` is a 409. It can hold no scope that its maker lacks. One that a token makes ends with that at the latest, and cannot ask for acts (`mcp:send`) where that may not.',
    body: NewToken,
    answers: { 201: MadeToken },
    problems: [422],
    secret: true,
    shownOnce: true,
    handle: async (request) => createToken(deps, request.caller, request.body),
  })

  routes.delete('/:id', 'revoke', {
    needs: 'tokens:write',
    summary: 'Revoke an API token',
    description: 'Takes effect within a second everywhere.',
    answers: { 204: nothing('Revoked.') },
    handle: async (request) => {
      await revokeToken(deps, request.caller, request.params.id)
    },
  })
}
