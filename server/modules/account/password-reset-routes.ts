import { Type } from 'typebox'
import { ONE_TIME_TOKEN_CHARS } from '../../platform/crypto/one-time-token.ts'
import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { originOf } from '../auth/guard-site.ts'
import { type ResetDeps, requestPasswordReset } from './request-password-reset.ts'
import { readReset, resetPassword } from './reset-password.ts'
import { OpenReset, ResetBody, ResetRequestBody, ResetRequested } from './schemas.ts'

const tags = ['Account']
const params = closed({ token: Type.String({ maxLength: 2 * ONE_TIME_TOKEN_CHARS }) })
const config = { withoutSession: true } as const

/** For who has forgotten their password. */
export function passwordResetRoutes(app: HttpApp, deps: ResetDeps): void {
  app.post(
    '/site/auth/password-reset',
    {
      schema: {
        operationId: 'SitePasswordReset_request',
        tags,
        summary: 'Ask for a new password',
        description: 'Mails a link, good for an hour, if the address has an account. The answer does not tell.',
        body: ResetRequestBody,
        response: { 202: ResetRequested, ...problemResponses(429) },
      },
      config,
    },
    async (request, reply) => {
      await requestPasswordReset(deps, { email: request.body.email, origin: originOf(request) })
      return reply.code(202).send({ status: 'accepted' })
    },
  )

  app.get(
    '/site/auth/password-reset/:token',
    {
      schema: {
        operationId: 'SitePasswordReset_read',
        tags,
        summary: 'Read whose password a link sets',
        description: 'The same answer for a link that is unknown, used or over.',
        params,
        response: { 200: OpenReset },
      },
      config,
    },
    async (request) => readReset(deps, request.params.token),
  )

  app.post(
    '/site/auth/password-reset/:token',
    {
      schema: {
        operationId: 'SitePasswordReset_complete',
        tags,
        summary: 'Set a new password',
        description: 'Ends every session of the person. A second factor is still asked for at the next login.',
        params,
        body: ResetBody,
        response: { 204: Type.Null({ description: 'Set.' }) },
      },
      config,
    },
    async (request, reply) => {
      const { password } = request.body
      await resetPassword(deps, { token: request.params.token, password, origin: originOf(request) })
      return reply.code(204).send(null)
    },
  )
}
