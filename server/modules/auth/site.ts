import type pg from 'pg'
import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { changePassword } from './change-password.ts'
import { SITE_DOOR } from './door.ts'
import { originOf, presentedSession } from './guard-site.ts'
import { logIn, logOut } from './log-in.ts'
import { membershipsOf } from './people.ts'
import { LogInBody, PasswordBody, SecondFactorRequired, Session } from './schemas.ts'
import { clearedSessionCookie, sessionCookie } from './session-cookie.ts'
import { tokenRoutes } from './token-routes.ts'

const tags = ['Session']
const nothing = Type.Null({ description: 'Done.' })

export type SiteDeps = { sql: pg.Pool; appUrl: URL | undefined }

/** Logging in and out, and the person's own account. */
export function authSite(app: HttpApp, deps: SiteDeps): void {
  const https = deps.appUrl?.protocol === 'https:'
  tokenRoutes(app, deps, SITE_DOOR)

  app.post(
    '/site/auth/login',
    {
      schema: {
        operationId: 'SiteAuth_login',
        tags,
        summary: 'Log in',
        description:
          'Sets the session cookie; an account with a second factor gets a ticket for the second step instead.',
        body: LogInBody,
        response: { 200: Session, 202: SecondFactorRequired, ...problemResponses(429) },
      },
      config: { withoutSession: true },
    },
    async (request, reply) => {
      const origin = originOf(request)
      const login = await logIn(deps, { ...request.body, origin, presented: presentedSession(request, deps) })
      if (login.outcome === 'second_factor_required') {
        const { ticket, expiresAt } = login
        return reply.code(202).send({ secondFactor: 'required', ticket, expiresAt })
      }
      const { user, sessionId } = login
      const workspaces = await membershipsOf(deps.sql, user.id)
      return reply.header('set-cookie', sessionCookie(sessionId, https)).send({ user, workspaces })
    },
  )

  app.post(
    '/site/auth/logout',
    {
      schema: { operationId: 'SiteAuth_logout', tags, summary: 'Log out', response: { 204: nothing } },
      config: { withoutSession: true },
    },
    async (request, reply) => {
      const session = presentedSession(request, deps)
      if (session) await logOut(deps, session, originOf(request))
      return reply.header('set-cookie', clearedSessionCookie(https)).code(204).send(null)
    },
  )

  app.get(
    '/site/auth/session',
    { schema: { operationId: 'SiteAuth_session', tags, summary: 'Read the session', response: { 200: Session } } },
    async (request) => {
      const { user } = request.session
      return { user, workspaces: await membershipsOf(deps.sql, user.id) }
    },
  )

  app.post(
    '/site/auth/password',
    {
      schema: {
        operationId: 'SiteAuth_changePassword',
        tags,
        summary: 'Change the password',
        description: 'Ends every other session of the person.',
        body: PasswordBody,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await changePassword(deps, request.session, { ...request.body, origin: originOf(request) })
      return reply.code(204).send(null)
    },
  )
}
