import type pg from 'pg'
import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from './door.ts'
import { createToken, listTokens, revokeToken } from './manage-tokens.ts'
import { MadeToken, NewToken, TokenInfo } from './schemas.ts'

const tags = ['Tokens']

/** Tokens, managed with a token under `/api/auth/tokens` or by a person in the dashboard. */
export function tokenRoutes(app: HttpApp, deps: { sql: pg.Pool }, door: Door): void {
  const base = door.family === 'Site' ? `${door.base}/tokens` : `${door.base}/auth/tokens`
  const operation = (verb: string) => `${door.family}Tokens_${verb}`

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List API tokens',
        description: 'Revoked ones included. The tokens themselves are never shown again.',
        params: closed(door.params),
        querystring: PageQuery,
        response: { 200: pageOf(TokenInfo) },
      },
      config: door.needs('tokens:read'),
    },
    async (request) => {
      const { items, total } = await listTokens(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create an API token',
        description: 'The token is in this answer and nowhere else. It can hold no scope that its maker lacks.',
        params: closed(door.params),
        body: NewToken,
        response: { 201: MadeToken, ...problemResponses(422) },
      },
      config: { ...door.needs('tokens:write'), secret: true },
    },
    async (request, reply) => reply.code(201).send(await createToken(deps, request.caller, request.body)),
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('revoke'),
        tags,
        summary: 'Revoke an API token',
        description: 'Takes effect within a second everywhere.',
        params: closed({ ...door.params, id: Id }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
      config: door.needs('tokens:write'),
    },
    async (request, reply) => {
      await revokeToken(deps, request.caller, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
