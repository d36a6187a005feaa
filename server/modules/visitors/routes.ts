import type pg from 'pg'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { listVisitors } from './list-visitors.ts'
import { VisitorList } from './schemas.ts'

export function visitorRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  routesOf(app, door, { family: 'Contacts' }).get('/contacts/:contactId/visitors', 'listVisitors', {
    needs: 'contacts:read',
    summary: "List a contact's visitors",
    description: 'Browsers that it was recognised in, 50 at most, and how well that is proven. The latest first.',
    answers: { 200: VisitorList },
    handle: async (request) => ({
      items: await listVisitors(sql, request.caller.workspaceId, request.params.contactId),
    }),
  })
}
