import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import { requireMatch } from '../../platform/etag.ts'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf, rowsBefore } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { SITE_DOOR } from '../auth/door.ts'
import { originOf } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { Membership } from '../auth/schemas.ts'
import { createWorkspace, readWorkspace, updateWorkspace, type Workspace } from './manage-workspaces.ts'
import { OwnWorkspace, WorkspaceBody, WorkspaceChange } from './schemas.ts'

const tags = ['Workspaces']
const params = closed(SITE_DOOR.params)

export type WorkspacesDeps = {
  sql: pg.Pool
  /** Furnishes a new workspace, once it is there. Never rejects. */
  furnish: (workspaceId: string) => Promise<void>
}

export function workspacesSite(app: HttpApp, deps: WorkspacesDeps): void {
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

  app.post(
    '/site/workspaces',
    {
      schema: {
        operationId: 'SiteWorkspaces_create',
        tags,
        summary: 'Create a workspace',
        description: 'For people who own a workspace already; they own the new one too.',
        body: WorkspaceBody,
        response: { 201: Membership, ...problemResponses(409, 422) },
      },
    },
    async (request, reply) => {
      const by = { user: request.session.user, origin: originOf(request) }
      const workspace = await createWorkspace(deps, by, request.body)
      await deps.furnish(workspace.id)
      return reply.code(201).send(workspace)
    },
  )

  app.get(
    '/site/workspaces/:slug',
    {
      schema: {
        operationId: 'SiteWorkspaces_get',
        tags,
        summary: 'Read a workspace and its settings',
        params,
        response: { 200: OwnWorkspace },
      },
      config: { permission: 'any', etag: true },
    },
    async (request) => answerOf(request)(await readWorkspace(deps.sql, request.caller.workspaceId)),
  )

  app.patch(
    '/site/workspaces/:slug',
    {
      schema: {
        operationId: 'SiteWorkspaces_update',
        tags,
        summary: "Change a workspace's name and settings",
        description: 'Absent fields stay. A person who asks the others for a second factor must have one.',
        params,
        body: WorkspaceChange,
        response: { 200: OwnWorkspace, ...problemResponses(412) },
      },
      config: { permission: 'workspace:write', etag: true },
    },
    async (request) => {
      const answer = answerOf(request)
      const requireMatchOf = (current: Workspace) => requireMatch(ifMatchOf(request), answer(current))
      return answer(await updateWorkspace(deps, request.caller, { change: request.body, requireMatchOf }))
    },
  )
}

/** A workspace as the person asking sees it. */
function answerOf({ caller }: FastifyRequest) {
  return (workspace: Workspace) => {
    const { createdAt, updatedAt, ...settings } = workspace
    return { ...settings, permissions: [...caller.scopes], createdAt, updatedAt }
  }
}
