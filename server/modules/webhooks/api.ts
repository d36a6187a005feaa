import type { HttpApp } from '../../platform/http/http-app.ts'
import { API_DOOR, routesOf } from '../door.ts'
import type { EndpointDeps } from './manage-endpoints.ts'
import { rotateSecret } from './manage-endpoints.ts'
import { readEndpoint } from './read-endpoints.ts'
import { webhookRoutes } from './routes.ts'
import { Endpoint, RotateBody } from './schemas.ts'

/** Here the signing secret is never in an answer. */
export function webhooksApi(app: HttpApp, deps: EndpointDeps): void {
  const routes = routesOf(app, API_DOOR, { path: '/webhooks/:id', family: 'Webhooks' })

  webhookRoutes(app, deps, API_DOOR)

  routes.get('', 'get', {
    needs: 'webhooks:read',
    summary: 'Read a webhook endpoint',
    answers: { 200: Endpoint },
    etag: true,
    handle: async (request) => readEndpoint(deps.sql, request.caller.workspaceId, request.params.id),
  })

  routes.post('/rotate-secret', 'rotateSecret', {
    needs: 'webhooks:write',
    summary: 'Rotate the signing secret',
    description:
      'To one of your own making, or to one that is made and shown in the dashboard only. For 24 hours deliveries carry ' +
      'both signatures.',
    body: RotateBody,
    answers: { 200: Endpoint },
    handle: async (request) => {
      const input = { id: request.params.id, given: request.body?.secret }
      return (await rotateSecret(deps, request.caller, input)).row
    },
  })
}
