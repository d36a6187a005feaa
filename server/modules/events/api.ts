import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { recordEvents } from './record-events.ts'
import { EventsBody } from './schemas.ts'

export function eventsApi(app: HttpApp, deps: { intake: IntakeWriter }): void {
  app.post(
    '/api/events',
    {
      schema: {
        operationId: 'Events_create',
        tags: ['Events'],
        summary: 'Record events',
        description:
          'Records up to 1000 events, all of them or none. 204 means that they are durable: they are stored, enroll ' +
          'contacts in automations and go out to webhook endpoints under their own action. An event is attached to the ' +
          'contact it names (by subjectId, then email, then phone); it never creates one.',
        body: EventsBody,
        response: { 204: Type.Null({ description: 'Recorded.' }), ...problemResponses(422) },
      },
      config: { scope: 'events:write' },
    },
    async (request, reply) => {
      await recordEvents(deps, { workspaceId: request.caller.workspaceId, events: request.body.events })
      return reply.code(204).send(null)
    },
  )
}
