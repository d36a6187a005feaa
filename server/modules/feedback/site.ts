import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { SITE_DOOR } from '../auth/door.ts'
import { changeTopics, type HookDeps, readHooks, rotateHooks } from './manage-hooks.ts'
import { FeedbackHooks, FeedbackHooksChange } from './schemas.ts'

const tags = ['Feedback hooks']
const BASE = `${SITE_DOOR.base}/feedback-hooks`
const params = closed(SITE_DOOR.params)

/** The dashboard's view of the hooks: the only place that shows their key and secret. */
export function feedbackSite(app: HttpApp, deps: HookDeps): void {
  const config = { ...SITE_DOOR.needs('integrations:write'), etag: true, secret: true } as const

  app.get(
    BASE,
    {
      schema: {
        operationId: 'SiteFeedbackHooks_get',
        tags,
        summary: 'Read where bounces and complaints are taken in',
        description: 'With the key in the paths and the signing secret, which whoever may change integrations may see.',
        params,
        response: { 200: FeedbackHooks },
      },
      config,
    },
    async (request) => readHooks(deps, request.caller.workspaceId),
  )

  app.patch(
    BASE,
    {
      schema: {
        operationId: 'SiteFeedbackHooks_update',
        tags,
        summary: 'Say which SNS topics are believed',
        description: 'A topic that is not among them is answered 403, its subscription is not confirmed.',
        params,
        body: FeedbackHooksChange,
        response: { 200: FeedbackHooks, ...problemResponses(412) },
      },
      config,
    },
    async (request) => {
      const { sesTopics } = request.body
      if (sesTopics === undefined) return readHooks(deps, request.caller.workspaceId)
      return changeTopics(deps, request.caller, { sesTopics, ifMatch: ifMatchOf(request) })
    },
  )

  app.post(
    `${BASE}/rotate`,
    {
      schema: {
        operationId: 'SiteFeedbackHooks_rotate',
        tags,
        summary: 'Give the hooks another key and secret',
        description: 'Those before stay good for 24 hours.',
        params,
        response: { 200: FeedbackHooks },
      },
      config: { ...SITE_DOOR.needs('integrations:write'), secret: true },
    },
    async (request) => rotateHooks(deps, request.caller),
  )
}
