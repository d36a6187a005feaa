import { Type } from 'typebox'
import { ONE_TIME_TOKEN_CHARS } from '../../platform/crypto/one-time-token.ts'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { originOf } from '../auth/guard-site.ts'
import { PERSON_DOOR, routesOf } from '../door.ts'
import { type ResetDeps, requestPasswordReset } from './request-password-reset.ts'
import { readReset, resetPassword } from './reset-password.ts'
import { OpenReset, ResetBody, ResetRequestBody, ResetRequested } from './schemas.ts'

const params = { token: Type.String({ maxLength: 2 * ONE_TIME_TOKEN_CHARS }) }

/** For who has forgotten their password. */
export function passwordResetRoutes(app: HttpApp, deps: ResetDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/auth/password-reset', family: 'PasswordReset', tag: 'Account' })

  routes.post('', 'request', {
    needs: 'nothing',
    summary: 'Ask for a new password',
    description: 'Mails a link, good for an hour, if the address has an account. The answer does not tell.',
    body: ResetRequestBody,
    answers: { 202: ResetRequested },
    problems: [429],
    handle: async (request) => {
      await requestPasswordReset(deps, { email: request.body.email, origin: originOf(request) })
      return { status: 'accepted' as const }
    },
  })

  routes.get('/:token', 'read', {
    needs: 'nothing',
    params,
    summary: 'Read whose password a link sets',
    description: 'The same answer for a link that is unknown, used or over.',
    answers: { 200: OpenReset },
    handle: async (request) => readReset(deps, request.params.token),
  })

  routes.post('/:token', 'complete', {
    needs: 'nothing',
    params,
    summary: 'Set a new password',
    description: 'Ends every session of the person. A second factor is still asked for at the next login.',
    body: ResetBody,
    answers: { 204: nothing('Set.') },
    handle: async (request) => {
      const { password } = request.body
      await resetPassword(deps, { token: request.params.token, password, origin: originOf(request) })
    },
  })
}
