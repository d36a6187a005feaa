import { inTransaction } from '../../platform/db/transaction.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import { readHealth } from './endpoint-health.ts'
import { secretsOf } from './endpoint-secrets.ts'
import { type EndpointDeps, rotateSecret } from './manage-endpoints.ts'
import type { EndpointRow } from './queries.ts'
import { readEndpoint } from './read-endpoints.ts'
import { webhookRoutes } from './routes.ts'
import { RotateBody, SiteEndpointHealth, SiteEndpointRead, SiteEndpointWithSecret } from './schemas.ts'

/** The endpoint as the other operations answer it, so that its tag is theirs. */
const withoutSecret = ({ secret: _, ...endpoint }: EndpointRow & { secret?: string }) => endpoint

/** The dashboard's view of endpoints: the only place that shows a signing secret. */
export function webhooksSite(app: HttpApp, deps: EndpointDeps): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/webhooks/:id', family: 'Webhooks' })

  webhookRoutes(app, deps, SITE_DOOR)

  health(app, deps)

  routes.get('', 'get', {
    needs: 'webhooks:read',
    summary: 'Read a webhook endpoint with its signing secret',
    description: 'The secret is shown to those who may change endpoints; to others it is absent.',
    answers: { 200: SiteEndpointRead },
    etag: withoutSecret,
    secret: true,
    handle: async (request) => {
      const { workspaceId, scopes } = request.caller
      const { id } = request.params
      const row = await readEndpoint(deps.sql, workspaceId, id)
      if (!scopes.has('webhooks:write')) return row
      const found = await inTransaction(deps.sql, workspaceId, (tx) => secretsOf(tx, deps.secrets, { workspaceId, id }))
      const secret = found?.secrets[0]
      return secret === undefined ? row : { ...row, secret }
    },
  })

  routes.post('/rotate-secret', 'rotateSecret', {
    needs: 'webhooks:write',
    summary: 'Rotate the signing secret',
    description:
      'Answers the new secret, which may be of your own making. For 24 hours deliveries carry both signatures.',
    body: RotateBody,
    answers: { 200: SiteEndpointWithSecret },
    secret: true,
    handle: async (request) => {
      const { row, secret } = await rotateSecret(deps, request.caller, {
        id: request.params.id,
        given: request.body?.secret,
      })
      return { ...row, secret }
    },
  })
}

function health(app: HttpApp, deps: EndpointDeps): void {
  const routes = routesOf(app, SITE_DOOR, { path: '/webhooks', family: 'Webhooks' })

  routes.get('/health', 'listHealth', {
    needs: 'webhooks:read',
    summary: 'Tell how webhook endpoints fare',
    description:
      'In the order of the list: what waits, how the newest deliveries ended, and since when all have failed.',
    query: closed(pageParameters),
    answers: { 200: pageOf(SiteEndpointHealth) },
    handle: async (request) => {
      const { items, total } = await readHealth(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })
}
