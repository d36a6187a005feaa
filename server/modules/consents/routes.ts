import type pg from 'pg'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { listConsents } from './list-consents.ts'
import { ConsentEntry } from './schemas.ts'

export function consentRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  routesOf(app, door, { family: 'Contacts' }).get('/contacts/:contactId/consents', 'listConsents', {
    needs: 'contacts:read',
    summary: "List a contact's consent history",
    description:
      'How the contact came to get marketing mail, or not to: asked, confirmed, unsubscribed, and from where. Newest ' +
      'first; entries are never changed.',
    query: closed(pageParameters),
    answers: { 200: pageOf(ConsentEntry) },
    handle: async (request) => {
      const { contactId } = request.params
      const { items, total } = await listConsents(sql, request.caller.workspaceId, { contactId, ...request.query })
      return page(request.query, total, items)
    },
  })
}
