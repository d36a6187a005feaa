import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { SITE_DOOR } from '../auth/door.ts'
import { originOf, presentedSession } from '../auth/guard-site.ts'
import { membershipsOf } from '../auth/people.ts'
import { Session } from '../auth/schemas.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
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

const tags = ['Second factor']
const base = '/site/auth/second-factor'
const nothing = Type.Null({ description: 'Done.' })

export type FactorRoutesDeps = FactorDeps & { appUrl: URL | undefined }

/** The second step of a login, and the person's own second factor. */
export function factorRoutes(app: HttpApp, deps: FactorRoutesDeps): void {
  app.post(
    base,
    {
      schema: {
        operationId: 'SiteSecondFactor_complete',
        tags,
        summary: 'Complete a login with a code',
        description: 'With the ticket of `POST /site/auth/login`, good for ten minutes and five codes.',
        body: SecondStepBody,
        response: { 200: Session, ...problemResponses(429) },
      },
      config: { withoutSession: true },
    },
    async (request, reply) => {
      const presented = presentedSession(request, deps)
      const { user, sessionId } = await completeLogin(deps, { ...request.body, origin: originOf(request), presented })
      const workspaces = await membershipsOf(deps.sql, user.id)
      const cookie = sessionCookie(sessionId, deps.appUrl?.protocol === 'https:')
      return reply.header('set-cookie', cookie).send({ user, workspaces })
    },
  )

  app.get(
    base,
    {
      schema: {
        operationId: 'SiteSecondFactor_get',
        tags,
        summary: 'Read whether there is a second factor',
        response: { 200: FactorState },
      },
    },
    async (request) => factorState(deps.sql, request.session.user.id),
  )

  app.post(
    `${base}/enrol`,
    {
      schema: {
        operationId: 'SiteSecondFactor_enrol',
        tags,
        summary: 'Begin to set up a second factor',
        description: 'Nothing is asked for until a first code confirms it. Beginning again makes a new secret.',
        body: EnrolBody,
        response: { 200: Enrolment, ...problemResponses(409, 429) },
      },
    },
    async (request) => beginEnrolment(deps, request.session, { ...request.body, origin: originOf(request) }),
  )

  app.post(
    `${base}/confirm`,
    {
      schema: {
        operationId: 'SiteSecondFactor_confirm',
        tags,
        summary: 'Confirm the second factor with a first code',
        description: 'From then on a login needs a code. Ends every other session of the person.',
        body: ConfirmBody,
        response: { 200: RecoveryCodes, ...problemResponses(409, 429) },
      },
    },
    async (request) => {
      const input = { ...request.body, origin: originOf(request) }
      return { recoveryCodes: await confirmEnrolment(deps, request.session, input) }
    },
  )

  ownCodeRoutes(app, deps)
}

/** Routes that take the password and a code. */
function ownCodeRoutes(app: HttpApp, deps: FactorRoutesDeps): void {
  app.post(
    `${base}/disable`,
    {
      schema: {
        operationId: 'SiteSecondFactor_disable',
        tags,
        summary: 'Switch the second factor off',
        body: WithCodeBody,
        response: { 204: nothing, ...problemResponses(429) },
      },
    },
    async (request, reply) => {
      await disableFactor(deps, request.session, { ...request.body, origin: originOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${base}/recovery-codes`,
    {
      schema: {
        operationId: 'SiteSecondFactor_regenerateCodes',
        tags,
        summary: 'Make new recovery codes',
        description: 'The ones before are over.',
        body: WithCodeBody,
        response: { 200: RecoveryCodes, ...problemResponses(429) },
      },
    },
    async (request) => {
      const input = { ...request.body, origin: originOf(request) }
      return { recoveryCodes: await regenerateRecoveryCodes(deps, request.session, input) }
    },
  )

  app.delete(
    `${SITE_DOOR.base}/members/:userId/second-factor`,
    {
      schema: {
        operationId: 'SiteMembers_resetSecondFactor',
        tags: ['Members'],
        summary: "Remove a member's second factor",
        description: 'For somebody who has lost it. Ends their sessions and tells them by mail. Not for oneself.',
        params: closed({ ...SITE_DOOR.params, userId: Id }),
        response: { 204: nothing, ...problemResponses(422) },
      },
      config: { permission: 'members:write' },
    },
    async (request, reply) => {
      await resetMembersFactor(deps, request.caller, request.params.userId)
      return reply.code(204).send(null)
    },
  )
}
