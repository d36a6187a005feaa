import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { API_DOOR } from '../auth/door.ts'
import type { EndpointDeps } from './endpoint-deps.ts'
import { rotateSecret } from './manage-endpoints.ts'
import { readEndpoint } from './read-endpoints.ts'
import { webhookRoutes } from './routes.ts'
import { Endpoint } from './schemas.ts'

const params = closed({ id: Id })

/** Here the signing secret is never in an answer. */
export function webhooksApi(app: HttpApp, deps: EndpointDeps): void {
  webhookRoutes(app, deps, API_DOOR)

  app.get(
    '/api/webhooks/:id',
    {
      schema: {
        operationId: 'Webhooks_get',
        tags: ['Webhooks'],
        summary: 'Read a webhook endpoint',
        params,
        response: { 200: Endpoint },
      },
      config: { ...API_DOOR.needs('webhooks:read'), etag: true },
    },
    async (request) => readEndpoint(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.post(
    '/api/webhooks/:id/rotate-secret',
    {
      schema: {
        operationId: 'Webhooks_rotateSecret',
        tags: ['Webhooks'],
        summary: 'Rotate the signing secret',
        description: 'The new secret is shown in the dashboard only. For 24 hours deliveries carry both signatures.',
        params,
        response: { 200: Endpoint },
      },
      config: API_DOOR.needs('webhooks:write'),
    },
    async (request) => (await rotateSecret(deps, request.caller, request.params.id)).row,
  )
}
