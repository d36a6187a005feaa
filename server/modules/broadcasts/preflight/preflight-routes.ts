import { Type } from 'typebox'
import { nothing } from '../../../platform/http/answers.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { closed } from '../../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../../door.ts'
import { type PreflightDeps, preflight } from './preflight.ts'
import { Preflight, TestSendBody } from './preflight-schemas.ts'
import { sendTest, type TestDeps } from './send-test.ts'

/** It renders, counts, and may wait for the servers behind the links. */
const PREFLIGHT_DEADLINE_MS = 10_000
const TEST_DEADLINE_MS = 5_000

/** Looking at a broadcast before it is sent, alike on both surfaces. */
export function preflightRoutes(app: HttpApp, deps: PreflightDeps & TestDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts/:id', family: 'Broadcasts' })

  routes.get('/preflight', 'preflight', {
    needs: 'broadcasts:read',
    summary: 'Check a broadcast before it is sent',
    description:
      'Faults that keep it from being sent (errors), and facts to know before (warnings): its sender, audience, ' +
      'template, links, size, text part, words that filters look for.',
    query: closed({
      checkLinks: Type.Optional(
        Type.Boolean({ description: 'Asks the servers behind its links, 20 at most, whether they answer.' }),
      ),
    }),
    answers: { 200: Preflight },
    deadlineMs: PREFLIGHT_DEADLINE_MS,
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return preflight(deps, key, { linksVia: request.query.checkLinks ? deps.client : undefined })
    },
  })

  routes.post('/test-send', 'testSend', {
    needs: 'broadcasts:send',
    summary: 'Send a test of a broadcast',
    description:
      'To an address, or ten at most, as it is now, its subject beginning with “[Test]”. It goes through the default integration, ' +
      'counts nowhere, and its links to unsubscribe stop nothing.',
    body: TestSendBody,
    answers: { 204: nothing('It is queued.') },
    problems: [422],
    deadlineMs: TEST_DEADLINE_MS,
    handle: async (request) => {
      await sendTest(deps, request.caller, { id: request.params.id, body: request.body })
    },
  })
}
