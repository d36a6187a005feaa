import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { listDeliveries, readDelivery, recoverDeliveries, resendDelivery, testEndpoint } from './manage-deliveries.ts'
import type { EndpointDeps } from './manage-endpoints.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from './manage-endpoints.ts'
import { readEndpoints } from './read-endpoints.ts'
import {
  DELIVERY_STATES,
  Delivery,
  DeliveryDetail,
  DeliveryList,
  Endpoint,
  EndpointBody,
  EndpointChange,
  RecoverBody,
} from './schemas.ts'

/** Parameters of the delivery log, on both surfaces. */
export const deliveryQuery = closed({
  state: Type.Optional(oneOf(DELIVERY_STATES)),
  eventType: Type.Optional(Type.String({ maxLength: 200 })),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
})

/** The operations that both surfaces offer alike. */
export function webhookRoutes(app: HttpApp, deps: EndpointDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/webhooks', family: 'Webhooks' })

  routes.get('', 'list', {
    needs: 'webhooks:read',
    summary: 'List webhook endpoints',
    query: closed(pageParameters),
    answers: { 200: pageOf(Endpoint) },
    handle: async (request) => {
      const { items, total } = await readEndpoints(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'webhooks:write',
    summary: 'Create a webhook endpoint',
    description:
      'Events are sent to the URL as POST requests signed by Standard Webhooks. The signing secret is of your own ' +
      'making, or shown in the dashboard only. Hosts that are or resolve to private, loopback, link-local or metadata addresses are refused.',
    body: EndpointBody,
    answers: { 201: Endpoint },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createEndpoint(deps, request.caller, request.body),
  })

  routes.patch('/:id', 'update', {
    needs: 'webhooks:write',
    summary: 'Change a webhook endpoint',
    description: 'Absent fields stay. Switched off, pending deliveries wait; switched on, they continue.',
    body: EndpointChange,
    answers: { 200: Endpoint },
    problems: [412, 422],
    etag: true,
    handle: async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return updateEndpoint(deps, request.caller, input)
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'webhooks:write',
    summary: 'Delete a webhook endpoint',
    description:
      'Deliveries that still wait for it are dropped. One that a step of an automation calls is not deleted.',
    answers: { 204: nothing() },
    problems: [409, 412],
    etag: true,
    handle: async (request) => {
      await deleteEndpoint(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })

  deliveryRoutes(app, deps, door)
}

/** Deliveries of an endpoint: their log, and having them sent. */
function deliveryRoutes(app: HttpApp, deps: EndpointDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/webhooks', family: 'Webhooks' })

  routes.post('/:id/test', 'test', {
    needs: 'webhooks:write',
    summary: 'Send a test event',
    description: 'Delivers a `webhook.test` event to this endpoint, whatever its filter.',
    answers: { 202: Delivery },
    handle: async (request) => testEndpoint(deps, request.caller, request.params.id),
  })

  routes.post('/:id/recover', 'recover', {
    needs: 'webhooks:write',
    summary: 'Recover missed deliveries',
    description:
      'Every stored event since the time that did not reach the endpoint is delivered: discarded deliveries again, ' +
      'events missed while it was switched off for the first time. Works in the background.',
    body: RecoverBody,
    answers: { 202: Endpoint },
    problems: [422],
    handle: async (request) => {
      const { id } = request.params
      return recoverDeliveries(deps, request.caller, { endpointId: id, since: request.body.since })
    },
  })

  routes.get('/:id/deliveries', 'listDeliveries', {
    needs: 'webhooks:read',
    summary: 'List deliveries',
    description:
      'The delivery log of an endpoint, newest first. With `state` or `eventType` a page may hold fewer than `limit` and still ' +
      'have a next one: it looks at 20,000 deliveries at most.',
    query: deliveryQuery,
    answers: { 200: DeliveryList },
    handle: async (request) =>
      listDeliveries(deps, {
        ...request.query,
        workspaceId: request.caller.workspaceId,
        endpointId: request.params.id,
      }),
  })

  routes.get('/:id/deliveries/:deliveryId', 'getDelivery', {
    needs: 'webhooks:read',
    summary: 'Read a delivery',
    description: 'With its body and the log of its attempts.',
    answers: { 200: DeliveryDetail },
    handle: async (request) => {
      const { id: endpointId, deliveryId: id } = request.params
      return readDelivery(deps, request.caller.workspaceId, { endpointId, id })
    },
  })

  routes.post('/:id/deliveries/:deliveryId/resend', 'resendDelivery', {
    needs: 'webhooks:write',
    summary: 'Send a delivery again',
    description: 'Under the same webhook-id, at once, with all ten attempts before it.',
    answers: { 202: Delivery },
    handle: async (request) => {
      const { id: endpointId, deliveryId: id } = request.params
      return resendDelivery(deps, request.caller, { endpointId, id })
    },
  })
}
