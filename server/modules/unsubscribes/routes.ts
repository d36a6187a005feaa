import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { createUnsubscribe, deleteUnsubscribe, listUnsubscribes, type UnsubscribeDeps } from './manage-unsubscribes.ts'
import { Unsubscribe, UnsubscribeBody, unsubscribeFilters } from './schemas.ts'

export function unsubscribeRoutes(app: HttpApp, deps: UnsubscribeDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/unsubscribes', family: 'Unsubscribes' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List unsubscribes',
    description: 'Addresses that want no more of something, whether or not a contact has them. Ascending by id.',
    query: closed({ ...pageParameters, ...unsubscribeFilters }),
    answers: { 200: pageOf(Unsubscribe) },
    handle: async (request) => {
      const { items, total } = await listUnsubscribes(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Unsubscribe an address',
    description:
      'For wishes that reached you by another way than the links in mails. From then on nothing of the source is ' +
      'sent there, messages that already wait included; `everything` also ends a confirmed opt-in. Transactional ' +
      'mail goes on. An address that is unsubscribed from the source stays as it is and is the answer.',
    body: UnsubscribeBody,
    answers: { 201: Unsubscribe },
    problems: [422],
    etag: true,
    handle: async (request) => createUnsubscribe(deps, request.caller, request.body),
  })

  routes.delete('/:id', 'delete', {
    needs: 'contacts:write',
    summary: 'Take an unsubscribe back',
    description:
      'The address is mailed again. Only for somebody who asks for it: in many countries the law forbids to mail ' +
      'people who said no. A confirmed opt-in that was ended does not come back by it.',
    answers: { 204: nothing() },
    problems: [412],
    etag: true,
    handle: async (request) => {
      await deleteUnsubscribe(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
