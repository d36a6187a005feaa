import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import type { EndpointDeps } from './endpoint-deps.ts'
import { listDeliveries, readDelivery, recoverDeliveries, resendDelivery, testEndpoint } from './manage-deliveries.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from './manage-endpoints.ts'
import { readEndpoint, readEndpoints } from './read-endpoints.ts'
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

const tags = ['Webhooks']
const nothing = Type.Null({ description: 'Done.' })

/** Parameters of the delivery log, on both surfaces. */
export const deliveryQuery = closed({
  state: Type.Optional(oneOf(DELIVERY_STATES)),
  eventType: Type.Optional(Type.String({ maxLength: 200 })),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
})

/** The operations that both surfaces offer alike. */
export function webhookRoutes(app: HttpApp, deps: EndpointDeps, door: Door): void {
  const base = `${door.base}/webhooks`
  const operation = (verb: string) => `${door.family}Webhooks_${verb}`
  const read = door.needs('webhooks:read')
  const write = door.needs('webhooks:write')
  const params = closed({ ...door.params, id: Id })
  const deliveryParams = closed({ ...door.params, id: Id, deliveryId: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List webhook endpoints',
        querystring: closed(pageParameters),
        response: { 200: pageOf(Endpoint) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await readEndpoints(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a webhook endpoint',
        description:
          'Events are sent to the URL as POST requests signed by Standard Webhooks. The signing secret is shown in the ' +
          'dashboard only. Hosts that are or resolve to private, loopback, link-local or metadata addresses are refused.',
        body: EndpointBody,
        response: { 201: Endpoint, ...problemResponses(422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createEndpoint(deps, request.caller, request.body)),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change a webhook endpoint',
        description: 'Absent fields stay. Switched off, pending deliveries wait; switched on, they continue.',
        params,
        body: EndpointChange,
        response: { 200: Endpoint, ...problemResponses(412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return updateEndpoint(deps, request.caller, input)
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a webhook endpoint',
        description: 'What still waits for it is dropped.',
        params,
        response: { 204: nothing, ...problemResponses(412) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => {
      await deleteEndpoint(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${base}/:id/test`,
    {
      schema: {
        operationId: operation('test'),
        tags,
        summary: 'Send a test event',
        description: 'Delivers a `webhook.test` event to this endpoint, whatever its filter.',
        params,
        response: { 202: Delivery },
      },
      config: write,
    },
    async (request, reply) => reply.code(202).send(await testEndpoint(deps, request.caller, request.params.id)),
  )

  app.post(
    `${base}/:id/recover`,
    {
      schema: {
        operationId: operation('recover'),
        tags,
        summary: 'Recover missed deliveries',
        description:
          'Every stored event since the time that did not reach the endpoint is delivered: discarded deliveries again, ' +
          'events missed while it was switched off for the first time. Works in the background.',
        params,
        body: RecoverBody,
        response: { 202: Endpoint, ...problemResponses(422) },
      },
      config: write,
    },
    async (request, reply) => {
      const { id } = request.params
      await recoverDeliveries(deps, request.caller, { endpointId: id, since: request.body.since })
      return reply.code(202).send(await readEndpoint(deps.sql, request.caller.workspaceId, id))
    },
  )

  app.get(
    `${base}/:id/deliveries`,
    {
      schema: {
        operationId: operation('listDeliveries'),
        tags,
        summary: 'List deliveries',
        description: 'The delivery log of an endpoint, newest first.',
        params,
        querystring: deliveryQuery,
        response: { 200: DeliveryList },
      },
      config: read,
    },
    async (request) =>
      listDeliveries(deps, {
        ...request.query,
        workspaceId: request.caller.workspaceId,
        endpointId: request.params.id,
      }),
  )

  app.get(
    `${base}/:id/deliveries/:deliveryId`,
    {
      schema: {
        operationId: operation('getDelivery'),
        tags,
        summary: 'Read a delivery',
        description: 'With its body and the log of its attempts.',
        params: deliveryParams,
        response: { 200: DeliveryDetail },
      },
      config: read,
    },
    async (request) => {
      const { id: endpointId, deliveryId: id } = request.params
      return readDelivery(deps, request.caller.workspaceId, { endpointId, id })
    },
  )

  app.post(
    `${base}/:id/deliveries/:deliveryId/resend`,
    {
      schema: {
        operationId: operation('resendDelivery'),
        tags,
        summary: 'Send a delivery again',
        description: 'Under the same webhook-id, at once, with all ten attempts before it.',
        params: deliveryParams,
        response: { 202: Delivery },
      },
      config: write,
    },
    async (request, reply) => {
      const { id: endpointId, deliveryId: id } = request.params
      return reply.code(202).send(await resendDelivery(deps, request.caller, { endpointId, id }))
    },
  )
}
