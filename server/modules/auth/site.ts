import type pg from 'pg'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PERSON_DOOR, routesOf, SITE_DOOR } from '../door.ts'
import { changePassword } from './change-password.ts'
import { originOf, presentedSession } from './guard-site.ts'
import { logIn, logOut } from './log-in.ts'
import { membershipsOf } from './people.ts'
import { LogInBody, PasswordBody, SecondFactorRequired, Session } from './schemas.ts'
import { clearedSessionCookie, sessionCookie } from './session-cookie.ts'
import { tokenRoutes } from './token-routes.ts'

export type SiteDeps = { sql: pg.Pool; appUrl: URL | undefined }

/** Logging in and out, and the person's own account. */
export function authSite(app: HttpApp, deps: SiteDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/auth', family: 'Auth', tag: 'Session' })

  const https = deps.appUrl?.protocol === 'https:'
  tokenRoutes(app, deps, SITE_DOOR)

  routes.post('/login', 'login', {
    needs: 'nothing',
    summary: 'Log in',
    description: 'Sets the session cookie; an account with a second factor gets a ticket for the second step instead.',
    body: LogInBody,
    answers: { 200: Session, 202: SecondFactorRequired },
    problems: [429],
    handle: async (request, reply) => {
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
  })

  routes.post('/logout', 'logout', {
    needs: 'nothing',
    summary: 'Log out',
    answers: { 204: nothing() },
    handle: async (request, reply) => {
      const session = presentedSession(request, deps)
      if (session) await logOut(deps, session, originOf(request))
      return reply.header('set-cookie', clearedSessionCookie(https)).code(204).send(null)
    },
  })

  routes.get('/session', 'session', {
    needs: 'login',
    summary: 'Read the session',
    answers: { 200: Session },
    handle: async (request) => {
      const { user } = request.session
      return { user, workspaces: await membershipsOf(deps.sql, user.id) }
    },
  })

  routes.post('/password', 'changePassword', {
    needs: 'login',
    summary: 'Change the password',
    description: 'Ends every other session of the person, and disconnects the agents that they have connected.',
    body: PasswordBody,
    answers: { 204: nothing() },
    handle: async (request) => {
      await changePassword(deps, request.session, { ...request.body, origin: originOf(request) })
    },
  })
}
