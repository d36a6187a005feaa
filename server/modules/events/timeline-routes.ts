import type pg from 'pg'
import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { readTimeline } from './read-timeline.ts'
import { ACTION_CHARS_MAX } from './recorded-event.ts'
import { Timeline } from './schemas.ts'

const TIMELINE_LIMIT_MAX = 100
const TIMELINE_LIMIT_DEFAULT = 25

const query = closed({
  action: Type.Optional(
    Type.String({ maxLength: ACTION_CHARS_MAX, description: 'Only events of this name.', examples: ['order.paid'] }),
  ),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Only events that occurred at or after it.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Only events that occurred before it.' })),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: TIMELINE_LIMIT_MAX, default: TIMELINE_LIMIT_DEFAULT }),
})

/** Routes of a contact's timeline: its acts and the mail about them, on both surfaces. */
export function timelineRoutes(app: HttpApp, deps: { sql: pg.Pool }, door: Door): void {
  routesOf(app, door, { family: 'Contacts' }).get('/contacts/:contactId/events', 'listEvents', {
    needs: 'events:read',
    summary: "List a contact's events",
    description:
      'The timeline of a contact, newest first: recorded events and those of the system (`contact.…`, `email.…`). ' +
      'An event appears a moment after it was recorded. Every page costs the same, however long the timeline.',
    query,
    answers: { 200: Timeline },
    handle: async (request) => {
      const page = { ...request.query, contactId: request.params.contactId }
      return readTimeline(deps.sql, request.caller.workspaceId, page)
    },
  })
}
