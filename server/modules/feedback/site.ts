import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import { changeTopics, type HookDeps, readHooks, rotateHooks } from './manage-hooks.ts'
import { FeedbackHooks, FeedbackHooksChange } from './schemas.ts'

/** The dashboard's view of the hooks: the only place that shows their key and secret. */
export function feedbackSite(app: HttpApp, deps: HookDeps): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/feedback-hooks', family: 'FeedbackHooks', tag: 'Feedback hooks' })

  routes.get('', 'get', {
    needs: 'integrations:write',
    summary: 'Read where bounces and complaints are taken in',
    description: 'With the key in the paths and the signing secret, which whoever may change integrations may see.',
    answers: { 200: FeedbackHooks },
    etag: true,
    secret: true,
    handle: async (request) => readHooks(deps, request.caller.workspaceId),
  })

  routes.patch('', 'update', {
    needs: 'integrations:write',
    summary: 'Say which SNS topics are believed',
    description: 'A topic that is not among them is answered 403, its subscription is not confirmed.',
    body: FeedbackHooksChange,
    answers: { 200: FeedbackHooks },
    problems: [412],
    etag: true,
    secret: true,
    handle: async (request) => {
      const { sesTopics } = request.body
      if (sesTopics === undefined) return readHooks(deps, request.caller.workspaceId)
      return changeTopics(deps, request.caller, { sesTopics, ifMatch: ifMatchOf(request) })
    },
  })

  routes.post('/rotate', 'rotate', {
    needs: 'integrations:write',
    summary: 'Give the hooks another key and secret',
    description: 'Those before stay good for 24 hours.',
    answers: { 200: FeedbackHooks },
    secret: true,
    handle: async (request) => rotateHooks(deps, request.caller),
  })
}
