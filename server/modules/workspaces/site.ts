import type pg from 'pg'
import { Type } from 'typebox'
import { PageQuery, page, pageOf, rowsBefore } from '../../platform/http/paging.ts'
import { closed } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { SITE_DOOR } from '../auth/door.ts'
import { membershipsOf, workspaceById } from '../auth/people.ts'
import { Membership, ScopeName } from '../auth/schemas.ts'

const tags = ['Workspaces']

const OwnWorkspace = Type.Object({
  id: Membership.properties.id,
  slug: Type.String(),
  name: Type.String(),
  permissions: Type.Array(ScopeName, { description: 'What the person may do in it.' }),
})

export function workspacesSite(app: HttpApp, deps: { sql: pg.Pool }): void {
  app.get(
    '/site/workspaces',
    {
      schema: {
        operationId: 'SiteWorkspaces_list',
        tags,
        summary: "List the person's workspaces",
        querystring: PageQuery,
        response: { 200: pageOf(Membership) },
      },
    },
    async (request) => {
      const all = await membershipsOf(deps.sql, request.session.user.id)
      const start = rowsBefore(request.query)
      return page(request.query, all.length, all.slice(start, start + request.query.pageSize))
    },
  )

  app.get(
    '/site/workspaces/:slug',
    {
      schema: {
        operationId: 'SiteWorkspaces_get',
        tags,
        summary: 'Read a workspace',
        params: closed(SITE_DOOR.params),
        response: { 200: OwnWorkspace },
      },
      config: { permission: 'any' },
    },
    async (request) => {
      const { workspaceId, scopes } = request.caller
      return { ...(await workspaceById(deps.sql, workspaceId)), permissions: [...scopes] }
    },
  )
}
