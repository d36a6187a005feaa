import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import { requireMatch } from '../../platform/etag.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf, rowsBefore } from '../../platform/schema/paging.ts'
import { originOf } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { Membership } from '../auth/schemas.ts'
import { PERSON_DOOR, routesOf, SITE_DOOR } from '../door.ts'
import { createWorkspace, readWorkspace, updateWorkspace, type Workspace } from './manage-workspaces.ts'
import { OwnWorkspace, WorkspaceBody, WorkspaceChange } from './schemas.ts'

export type WorkspacesDeps = {
  sql: pg.Pool
  /** Furnishes a new workspace, once it is there. Never rejects. */
  furnish: (workspaceId: string) => Promise<void>
}

export function workspacesSite(app: HttpApp, deps: WorkspacesDeps): void {
  const workspacesOfPerson = routesOf(app, PERSON_DOOR, { path: '/workspaces', family: 'Workspaces' })
  const workspaces = routesOf(app, SITE_DOOR, { family: 'Workspaces' })

  workspacesOfPerson.get('', 'list', {
    needs: 'login',
    summary: "List the person's workspaces",
    query: PageQuery,
    answers: { 200: pageOf(Membership) },
    handle: async (request) => {
      const all = await membershipsOf(deps.sql, request.session.user.id)
      const start = rowsBefore(request.query)
      return page(request.query, all.length, all.slice(start, start + request.query.pageSize))
    },
  })

  workspacesOfPerson.post('', 'create', {
    needs: 'login',
    summary: 'Create a workspace',
    description: 'For people who own a workspace already; they own the new one too.',
    body: WorkspaceBody,
    answers: { 201: Membership },
    problems: [409, 422],
    handle: async (request) => {
      const by = { user: request.session.user, origin: originOf(request) }
      const workspace = await createWorkspace(deps, by, request.body)
      await deps.furnish(workspace.id)
      return workspace
    },
  })

  workspaces.get('', 'get', {
    needs: 'any',
    summary: 'Read a workspace and its settings',
    answers: { 200: OwnWorkspace },
    etag: true,
    handle: async (request) => answerOf(request)(await readWorkspace(deps.sql, request.caller.workspaceId)),
  })

  workspaces.patch('', 'update', {
    needs: 'workspace:write',
    summary: "Change a workspace's name and settings",
    description: 'Absent fields stay. A person who asks the others for a second factor must have one.',
    body: WorkspaceChange,
    answers: { 200: OwnWorkspace },
    problems: [412],
    etag: true,
    handle: async (request) => {
      const answer = answerOf(request)
      const requireMatchOf = (current: Workspace) => requireMatch(ifMatchOf(request), answer(current))
      return answer(await updateWorkspace(deps, request.caller, { change: request.body, requireMatchOf }))
    },
  })
}

/** A workspace as the person asking sees it. */
function answerOf({ caller }: FastifyRequest) {
  return (workspace: Workspace) => {
    const { createdAt, updatedAt, ...settings } = workspace
    return { ...settings, permissions: [...caller.scopes], createdAt, updatedAt }
  }
}
