import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { createUnsubscribe, deleteUnsubscribe, listUnsubscribes, type UnsubscribeDeps } from './manage-unsubscribes.ts'
import { Unsubscribe, UnsubscribeBody, unsubscribeFilters } from './schemas.ts'

const tags = ['Unsubscribes']

export function unsubscribeRoutes(app: HttpApp, deps: UnsubscribeDeps, door: Door): void {
  const base = `${door.base}/unsubscribes`
  const operation = (verb: string) => `${door.family}Unsubscribes_${verb}`
  const write = door.needs('contacts:write')

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List unsubscribes',
        description: 'Addresses that want no more of something, whether or not a contact has them. Ascending by id.',
        querystring: closed({ ...pageParameters, ...unsubscribeFilters }),
        response: { 200: pageOf(Unsubscribe) },
      },
      config: door.needs('contacts:read'),
    },
    async (request) => {
      const { items, total } = await listUnsubscribes(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Unsubscribe an address',
        description:
          'For wishes that reached you by another way than the links in mails. From then on nothing of the source is ' +
          'sent there, messages that already wait included; `everything` also ends a confirmed opt-in. Transactional ' +
          'mail goes on. An address that is unsubscribed from the source stays as it is and is the answer.',
        body: UnsubscribeBody,
        response: { 201: Unsubscribe },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createUnsubscribe(deps, request.caller, request.body)),
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Take an unsubscribe back',
        description:
          'The address is mailed again. Only for somebody who asks for it: in many countries the law forbids to mail ' +
          'people who said no. A confirmed opt-in that was ended does not come back by it.',
        params: closed({ ...door.params, id: Id }),
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(412) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => {
      await deleteUnsubscribe(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )
}
