import type pg from 'pg'
import { Type } from 'typebox'
import { BROWSER_SOURCES } from '../../catalogue/proofs.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { listActions } from './list-actions.ts'
import { listEvents } from './list-events.ts'
import { ACTION_CHARS_MAX } from './recorded-event.ts'
import { EventAction, EventList } from './schemas.ts'

/** Reading the events of a whole workspace, alike on both surfaces. */
export function eventRoutes(app: HttpApp, { sql }: { sql: pg.Pool }, door: Door): void {
  const routes = routesOf(app, door, { path: '/events', family: 'Events' })

  routes.get('', 'list', {
    needs: 'events:read',
    summary: 'List events',
    description:
      'Everything that was recorded, newest first by when that was: what callers recorded and what the system did ' +
      '(`contact.…`, `email.…`). An event appears a moment after it was recorded. With `action` or `source` a page may hold fewer ' +
      'than `limit` and still have a next one: it looks at 20,000 events at most.',
    query: closed({
      action: Type.Optional(
        Type.String({
          maxLength: ACTION_CHARS_MAX,
          description: 'Only events of this name.',
          examples: ['order.paid'],
        }),
      ),
      source: Type.Optional(
        oneOf(BROWSER_SOURCES, { description: 'Only what browsers told: pages (collect), or forms (form).' }),
      ),
      from: Type.Optional(Type.String({ ...Timestamp, description: 'Only events recorded at or after it.' })),
      to: Type.Optional(Type.String({ ...Timestamp, description: 'Only events recorded before it.' })),
      cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
    }),
    answers: { 200: EventList },
    handle: async (request) => listEvents(sql, request.caller.workspaceId, request.query),
  })

  routes.get('/actions', 'listActions', {
    needs: 'events:read',
    summary: 'List the names of events',
    description: 'Every name that was recorded, by name, with when it was last seen and what an event of it said.',
    query: closed({
      ...pageParameters,
      search: Type.Optional(
        Type.String({ maxLength: ACTION_CHARS_MAX, description: 'Only names that contain this text.' }),
      ),
    }),
    answers: { 200: pageOf(EventAction) },
    handle: async (request) => {
      const { items, total } = await listActions(sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })
}
