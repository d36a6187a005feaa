import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import { changeRole, leaveWorkspace, listMembers, readMember, removeMember } from './manage-members.ts'
import { Member, RoleBody } from './schemas.ts'

/** Routes of a workspace's members and their roles. In the dashboard only: no token runs people. */
export function memberRoutes(app: HttpApp, deps: { sql: pg.Pool }): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/members', family: 'Members' })

  routes.get('', 'list', {
    needs: 'members:read',
    summary: 'List the members of the workspace',
    query: PageQuery,
    answers: { 200: pageOf(Member) },
    handle: async (request) => {
      const { items, total } = await listMembers(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.get('/:userId', 'get', {
    needs: 'members:read',
    summary: 'Read a member',
    answers: { 200: Member },
    etag: true,
    handle: async (request) => readMember(deps, request.caller.workspaceId, request.params.userId),
  })

  routes.patch('/:userId', 'update', {
    needs: 'members:write',
    summary: "Change a member's role",
    description: 'In force at their next request. Nobody gives a role above their own, or changes somebody above them.',
    body: RoleBody,
    answers: { 200: Member },
    problems: [409, 412],
    etag: true,
    handle: async (request) => {
      const { userId } = request.params
      return changeRole(deps, request.caller, { userId, role: request.body.role, ifMatch: ifMatchOf(request) })
    },
  })

  routes.delete('/:userId', 'remove', {
    needs: 'members:write',
    summary: 'Remove a member',
    description: 'Their account stays, the workspace is closed to it at once. Tokens they made stay valid.',
    answers: { 204: nothing('Removed.') },
    problems: [409, 412],
    handle: async (request) => {
      await removeMember(deps, request.caller, { userId: request.params.userId, ifMatch: ifMatchOf(request) })
    },
  })

  routesOf(app, SITE_DOOR, { family: 'Members' }).post('/leave', 'leave', {
    needs: 'any',
    summary: 'Leave the workspace',
    description: 'The last owner cannot.',
    answers: { 204: nothing('Left.') },
    problems: [409],
    handle: async (request) => {
      await leaveWorkspace(deps, request.caller)
    },
  })
}
