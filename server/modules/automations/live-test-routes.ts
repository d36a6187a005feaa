import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { LiveTest, LiveTestBody } from './live-test/schemas.ts'
import { type LiveTestDeps, testOnPerson } from './live-test/test-on-person.ts'

const TEST_DEADLINE_MS = 15_000

/** A draft that one person goes through, and the team reads its mails. */
export function liveTestRoutes(app: HttpApp, deps: LiveTestDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.post('/:id/test', 'test', {
    needs: 'automations:write',
    deadlineMs: TEST_DEADLINE_MS,
    summary: 'Test the draft on one person',
    description:
      'Walks one person through the draft, from now on and with each wait cut to three seconds, and sends its mails to the team, their ' +
      'subjects beginning with “[Test]”. Nothing else is done, and nothing is counted. They go through the default integration, and ' +
      'their links to unsubscribe stop nothing.',
    body: LiveTestBody,
    answers: { 202: LiveTest },
    problems: [422],
    handle: async (request) => testOnPerson(deps, request.caller, { id: request.params.id, body: request.body }),
  })
}
