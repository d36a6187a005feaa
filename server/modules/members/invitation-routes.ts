import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { SITE_DOOR } from '../auth/door.ts'
import {
  createInvitation,
  type InvitationDeps,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from './manage-invitations.ts'
import { Invitation, InvitationBody, SentInvitation } from './schemas.ts'

const tags = ['Invitations']
const base = `${SITE_DOOR.base}/invitations`
const params = closed(SITE_DOOR.params)
const invitationParams = closed({ ...SITE_DOOR.params, id: Id })
const config = { permission: 'members:write' } as const

/** Inviting people to a workspace, for those who run it. */
export function invitationRoutes(app: HttpApp, deps: InvitationDeps): void {
  app.get(
    base,
    {
      schema: {
        operationId: 'SiteInvitations_list',
        tags,
        summary: 'List open invitations',
        description: 'Those whose link is over too, for 30 days.',
        params,
        querystring: PageQuery,
        response: { 200: pageOf(Invitation) },
      },
      config,
    },
    async (request) => {
      const { items, total } = await listInvitations(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: 'SiteInvitations_create',
        tags,
        summary: 'Invite somebody',
        description: 'Mails a link that is good for seven days and works once. Nobody gives a role above their own.',
        params,
        body: InvitationBody,
        response: { 201: SentInvitation, ...problemResponses(409, 422, 429) },
      },
      config,
    },
    async (request, reply) => reply.code(201).send(await createInvitation(deps, request.caller, request.body)),
  )

  app.post(
    `${base}/:id/resend`,
    {
      schema: {
        operationId: 'SiteInvitations_resend',
        tags,
        summary: 'Send an invitation again',
        description: 'With a new link; the one before is over. Once a minute at most.',
        params: invitationParams,
        response: { 200: SentInvitation, ...problemResponses(429) },
      },
      config,
    },
    async (request) => resendInvitation(deps, request.caller, request.params.id),
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: 'SiteInvitations_revoke',
        tags,
        summary: 'Revoke an invitation',
        params: invitationParams,
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
      config,
    },
    async (request, reply) => {
      await revokeInvitation(deps, request.caller, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
