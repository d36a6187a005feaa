import type pg from 'pg'
import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { SITE_DOOR } from '../auth/door.ts'
import { changeRole, leaveWorkspace, listMembers, readMember, removeMember } from './manage-members.ts'
import { Member, RoleBody } from './schemas.ts'

const tags = ['Members']
const base = `${SITE_DOOR.base}/members`
const params = closed(SITE_DOOR.params)
const memberParams = closed({ ...SITE_DOOR.params, userId: Id })

/** Routes of a workspace's members and their roles. In the dashboard only: no token runs people. */
export function memberRoutes(app: HttpApp, deps: { sql: pg.Pool }): void {
  app.get(
    base,
    {
      schema: {
        operationId: 'SiteMembers_list',
        tags,
        summary: 'List the members of the workspace',
        params,
        querystring: PageQuery,
        response: { 200: pageOf(Member) },
      },
      config: { permission: 'members:read' },
    },
    async (request) => {
      const { items, total } = await listMembers(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.get(
    `${base}/:userId`,
    {
      schema: {
        operationId: 'SiteMembers_get',
        tags,
        summary: 'Read a member',
        params: memberParams,
        response: { 200: Member },
      },
      config: { permission: 'members:read', etag: true },
    },
    async (request) => readMember(deps, request.caller.workspaceId, request.params.userId),
  )

  app.patch(
    `${base}/:userId`,
    {
      schema: {
        operationId: 'SiteMembers_update',
        tags,
        summary: "Change a member's role",
        description:
          'In force at their next request. Nobody gives a role above their own, or changes somebody above them.',
        params: memberParams,
        body: RoleBody,
        response: { 200: Member, ...problemResponses(409, 412) },
      },
      config: { permission: 'members:write', etag: true },
    },
    async (request) => {
      const { userId } = request.params
      return changeRole(deps, request.caller, { userId, role: request.body.role, ifMatch: ifMatchOf(request) })
    },
  )

  app.delete(
    `${base}/:userId`,
    {
      schema: {
        operationId: 'SiteMembers_remove',
        tags,
        summary: 'Remove a member',
        description: 'Their account stays, the workspace is closed to it at once. Tokens they made stay valid.',
        params: memberParams,
        response: { 204: Type.Null({ description: 'Removed.' }), ...problemResponses(409, 412) },
      },
      config: { permission: 'members:write' },
    },
    async (request, reply) => {
      await removeMember(deps, request.caller, { userId: request.params.userId, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${SITE_DOOR.base}/leave`,
    {
      schema: {
        operationId: 'SiteMembers_leave',
        tags,
        summary: 'Leave the workspace',
        description: 'The last owner cannot.',
        params,
        response: { 204: Type.Null({ description: 'Left.' }), ...problemResponses(409) },
      },
      config: { permission: 'any' },
    },
    async (request, reply) => {
      await leaveWorkspace(deps, request.caller)
      return reply.code(204).send(null)
    },
  )
}
