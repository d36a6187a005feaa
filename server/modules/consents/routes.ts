import type pg from 'pg'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { listConsents } from './list-consents.ts'
import { ConsentEntry } from './schemas.ts'

export function consentRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  app.get(
    `${door.base}/contacts/:contactId/consents`,
    {
      schema: {
        operationId: `${door.family}Contacts_listConsents`,
        tags: ['Contacts'],
        summary: "List a contact's consent history",
        description:
          'How the contact came to get marketing mail, or not to: asked, confirmed, unsubscribed, and from where. Newest ' +
          'first; entries are never changed.',
        params: closed({ ...door.params, contactId: Id }),
        querystring: closed(pageParameters),
        response: { 200: pageOf(ConsentEntry) },
      },
      config: door.needs('contacts:read'),
    },
    async (request) => {
      const { contactId } = request.params
      const { items, total } = await listConsents(sql, request.caller.workspaceId, { contactId, ...request.query })
      return page(request.query, total, items)
    },
  )
}
