import type pg from 'pg'
import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
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
  app.get(
    `${door.base}/contacts/:contactId/events`,
    {
      schema: {
        operationId: `${door.family}Contacts_listEvents`,
        tags: ['Contacts'],
        summary: "List a contact's events",
        description:
          'The timeline of a contact, newest first: recorded events and those of the system (`contact.…`, `email.…`). ' +
          'An event appears a moment after it was recorded. Every page costs the same, however long the timeline.',
        params: closed({ ...door.params, contactId: Id }),
        querystring: query,
        response: { 200: Timeline },
      },
      config: door.needs('events:read'),
    },
    async (request) => {
      const page = { ...request.query, contactId: request.params.contactId }
      return readTimeline(deps.sql, request.caller.workspaceId, page)
    },
  )
}
