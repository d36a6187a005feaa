import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import {
  createInvitation,
  type InvitationDeps,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from './manage-invitations.ts'
import { Invitation, InvitationBody, SentInvitation } from './schemas.ts'

/** Inviting people to a workspace, for those who run it. */
export function invitationRoutes(app: HttpApp, deps: InvitationDeps): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/invitations', family: 'Invitations' })

  routes.get('', 'list', {
    needs: 'members:write',
    summary: 'List open invitations',
    description: 'Those whose link is over too, for 30 days.',
    query: PageQuery,
    answers: { 200: pageOf(Invitation) },
    handle: async (request) => {
      const { items, total } = await listInvitations(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'members:write',
    summary: 'Invite somebody',
    description: 'Mails a link that is good for seven days and works once. Nobody gives a role above their own.',
    body: InvitationBody,
    answers: { 201: SentInvitation },
    problems: [409, 422, 429],
    handle: async (request) => createInvitation(deps, request.caller, request.body),
  })

  routes.post('/:id/resend', 'resend', {
    needs: 'members:write',
    summary: 'Send an invitation again',
    description: 'With a new link; the one before is over. Once a minute at most.',
    answers: { 200: SentInvitation },
    problems: [429],
    handle: async (request) => resendInvitation(deps, request.caller, request.params.id),
  })

  routes.delete('/:id', 'revoke', {
    needs: 'members:write',
    summary: 'Revoke an invitation',
    answers: { 204: nothing('Revoked.') },
    handle: async (request) => {
      await revokeInvitation(deps, request.caller, request.params.id)
    },
  })
}
