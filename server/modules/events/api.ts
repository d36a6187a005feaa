import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { API_DOOR, routesOf } from '../door.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { recordEachEvent } from './record-each-event.ts'
import { recordEvents } from './record-events.ts'
import { EventBatchBody, EventBatchResults, EventsBody } from './schemas.ts'

export function eventsApi(app: HttpApp, deps: { intake: IntakeWriter }): void {
  const routes = routesOf(app, API_DOOR, { path: '/events', family: 'Events' })

  routes.post('', 'create', {
    needs: 'events:write',
    summary: 'Record events',
    description:
      'Records up to 1000 events, all of them or none. 204 means that they are durable: they are stored, enroll ' +
      'contacts in automations and go out to webhook endpoints under their own action. An event is attached to the ' +
      'contact it names (by subjectId, then email, then phone); it never creates one.',
    body: EventsBody,
    answers: { 204: nothing('Recorded.') },
    problems: [422],
    commitsAlways: true,
    handle: async (request) => {
      const { workspaceId, repeatId } = request.caller
      await recordEvents(deps, { workspaceId, repeatId, events: request.body.events })
    },
  })

  routes.post('/batch', 'createBatch', {
    needs: 'events:write',
    summary: 'Record events one by one',
    description:
      'Records those of up to 1000 items that are events and answers what became of each. Items answered as accepted ' +
      'are durable; a failed one is not recorded and does not hold up the others.',
    body: EventBatchBody,
    answers: { 200: EventBatchResults },
    commitsAlways: true,
    handle: async (request) => {
      const { workspaceId, repeatId } = request.caller
      return { results: await recordEachEvent(deps, { workspaceId, repeatId, events: request.body.events }) }
    },
  })
}
