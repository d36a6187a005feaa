import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { originOf, presentedSession } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { Session } from '../auth/schemas.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import { PERSON_DOOR, routesOf, SITE_DOOR } from '../door.ts'
import { completeLogin } from './complete-login.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableFactor,
  type FactorDeps,
  regenerateRecoveryCodes,
} from './manage-factor.ts'
import { factorState } from './queries.ts'
import { resetMembersFactor } from './reset-factor.ts'
import {
  ConfirmBody,
  EnrolBody,
  Enrolment,
  FactorState,
  RecoveryCodes,
  SecondStepBody,
  WithCodeBody,
} from './schemas.ts'

const place = { path: '/auth/second-factor', family: 'SecondFactor', tag: 'Second factor' } as const

export type FactorRoutesDeps = FactorDeps & { appUrl: URL | undefined }

/** The second step of a login, and the person's own second factor. */
export function factorRoutes(app: HttpApp, deps: FactorRoutesDeps): void {
  const routes = routesOf(app, PERSON_DOOR, place)

  routes.post('', 'complete', {
    needs: 'nothing',
    summary: 'Complete a login with a code',
    description: 'With the ticket of `POST /site/auth/login`, good for ten minutes and five codes.',
    body: SecondStepBody,
    answers: { 200: Session },
    problems: [429],
    handle: async (request, reply) => {
      const presented = presentedSession(request, deps)
      const { user, sessionId } = await completeLogin(deps, { ...request.body, origin: originOf(request), presented })
      const workspaces = await membershipsOf(deps.sql, user.id)
      const cookie = sessionCookie(sessionId, deps.appUrl?.protocol === 'https:')
      return reply.header('set-cookie', cookie).send({ user, workspaces })
    },
  })

  routes.get('', 'get', {
    needs: 'login',
    summary: 'Read whether there is a second factor',
    answers: { 200: FactorState },
    handle: async (request) => factorState(deps.sql, request.session.user.id),
  })

  routes.post('/enrol', 'enrol', {
    needs: 'login',
    summary: 'Begin to set up a second factor',
    description: 'Nothing is asked for until a first code confirms it. Beginning again makes a new secret.',
    body: EnrolBody,
    answers: { 200: Enrolment },
    problems: [409, 429],
    handle: async (request) => beginEnrolment(deps, request.session, { ...request.body, origin: originOf(request) }),
  })

  routes.post('/confirm', 'confirm', {
    needs: 'login',
    summary: 'Confirm the second factor with a first code',
    description: 'From then on a login needs a code. Ends every other session of the person.',
    body: ConfirmBody,
    answers: { 200: RecoveryCodes },
    problems: [409, 429],
    handle: async (request) => {
      const input = { ...request.body, origin: originOf(request) }
      return { recoveryCodes: await confirmEnrolment(deps, request.session, input) }
    },
  })

  ownCodeRoutes(app, deps)
}

/** Routes that take the password and a code. */
function ownCodeRoutes(app: HttpApp, deps: FactorRoutesDeps): void {
  const routes = routesOf(app, PERSON_DOOR, place)

  routes.post('/disable', 'disable', {
    needs: 'login',
    summary: 'Switch the second factor off',
    description: 'With a recovery code it ends every other session and the agents that the person has connected.',
    body: WithCodeBody,
    answers: { 204: nothing() },
    problems: [429],
    handle: async (request) => {
      await disableFactor(deps, request.session, { ...request.body, origin: originOf(request) })
    },
  })

  routes.post('/recovery-codes', 'regenerateCodes', {
    needs: 'login',
    summary: 'Make new recovery codes',
    description: 'The ones before are over.',
    body: WithCodeBody,
    answers: { 200: RecoveryCodes },
    problems: [429],
    handle: async (request) => {
      const input = { ...request.body, origin: originOf(request) }
      return { recoveryCodes: await regenerateRecoveryCodes(deps, request.session, input) }
    },
  })

  routesOf(app, SITE_DOOR, { family: 'Members' }).delete('/members/:userId/second-factor', 'resetSecondFactor', {
    needs: 'members:write',
    summary: "Remove a member's second factor",
    description:
      'For somebody who has lost it. Ends their sessions and agents and tells them by mail. Not for oneself.',
    answers: { 204: nothing() },
    problems: [422],
    handle: async (request) => {
      await resetMembersFactor(deps, request.caller, request.params.userId)
    },
  })
}
