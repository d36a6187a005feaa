import { Type } from 'typebox'
import { ONE_TIME_TOKEN_CHARS } from '../../platform/crypto/one-time-token.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { originOf, type SiteGuardDeps, signedInBy } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { Session } from '../auth/schemas.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import { PERSON_DOOR, routesOf } from '../door.ts'
import { acceptInvitation, readInvitation } from './accept-invitation.ts'
import { AcceptBody, OpenInvitation } from './schemas.ts'

const params = { token: Type.String({ maxLength: 2 * ONE_TIME_TOKEN_CHARS }) }

/** For whoever holds the link of an invitation, logged in or not. */
export function acceptRoutes(app: HttpApp, deps: SiteGuardDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/invitations/:token', family: 'Invitations' })

  routes.get('', 'read', {
    needs: 'nothing',
    params,
    summary: 'Read the invitation of a link',
    description: 'The same answer for a link that is unknown, used, revoked or over.',
    answers: { 200: OpenInvitation },
    handle: async (request) => {
      const { workspaceName, ...invitation } = await readInvitation(deps, request.params.token)
      return { ...invitation, workspace: { name: workspaceName } }
    },
  })

  routes.post('', 'accept', {
    needs: 'nothing',
    params,
    summary: 'Accept an invitation',
    description:
      'A person with an account must be logged in as the invited address and sends `{}`; anybody else chooses a name ' +
      'and a password, and is logged in with the answer.',
    body: AcceptBody,
    answers: { 200: Session },
    problems: [409],
    handle: async (request, reply) => {
      const signedIn = await signedInBy(request, deps)
      const origin = originOf(request)
      const input = { token: request.params.token, signedIn: signedIn?.user, ...request.body, origin }
      const { user, sessionId } = await acceptInvitation(deps, input)
      if (sessionId !== undefined) {
        reply.header('set-cookie', sessionCookie(sessionId, deps.appUrl?.protocol === 'https:'))
      }
      return { user, workspaces: await membershipsOf(deps.sql, user.id) }
    },
  })
}
