import type pg from 'pg'
import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { originOf } from '../auth/guard-site.ts'
import { readOwnAccount, updateOwnAccount } from '../auth/own-account.ts'
import { endOwnSession, listOwnSessions, signOutEverywhere } from '../auth/own-sessions.ts'
import { Account, AccountChange, SessionInfo } from './schemas.ts'

const tags = ['Account']
const nothing = Type.Null({ description: 'Done.' })

/** Routes by which a person sees and changes their own account, whatever workspaces they belong to. */
export function accountRoutes(app: HttpApp, deps: { sql: pg.Pool }): void {
  app.get(
    '/site/auth/me',
    {
      schema: { operationId: 'SiteAccount_get', tags, summary: 'Read the own account', response: { 200: Account } },
      config: { etag: true },
    },
    async (request) => readOwnAccount(deps.sql, request.session.user.id),
  )

  app.patch(
    '/site/auth/me',
    {
      schema: {
        operationId: 'SiteAccount_update',
        tags,
        summary: 'Change the own account',
        description: 'Absent fields stay.',
        body: AccountChange,
        response: { 200: Account, ...problemResponses(412) },
      },
      config: { etag: true },
    },
    async (request) => {
      const change = { ...request.body, ifMatch: ifMatchOf(request), origin: originOf(request) }
      return updateOwnAccount(deps, request.session.user, change)
    },
  )

  app.get(
    '/site/auth/sessions',
    {
      schema: {
        operationId: 'SiteSessions_list',
        tags,
        summary: 'List the own sessions',
        description: 'Those that are not over, newest first.',
        querystring: PageQuery,
        response: { 200: pageOf(SessionInfo) },
      },
    },
    async (request) => {
      const { items, total } = await listOwnSessions(deps, request.session, request.query)
      return page(request.query, total, items)
    },
  )

  app.delete(
    '/site/auth/sessions/:id',
    {
      schema: {
        operationId: 'SiteSessions_end',
        tags,
        summary: 'End one of the own sessions',
        params: closed({ id: Id }),
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await endOwnSession(deps, request.session, { id: request.params.id, origin: originOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/site/auth/sessions/end-others',
    {
      schema: {
        operationId: 'SiteSessions_endOthers',
        tags,
        summary: 'End all other sessions',
        description: 'The one in use stays.',
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await signOutEverywhere(deps, request.session, originOf(request))
      return reply.code(204).send(null)
    },
  )
}
