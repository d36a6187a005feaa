import { Type } from 'typebox'
import { problemResponses } from '../../../platform/http/answers.ts'
import type { HttpApp } from '../../../platform/http/server.ts'
import { closed, Id } from '../../../platform/schema/schemas.ts'
import type { Door } from '../../auth/door.ts'
import { type PreflightDeps, preflight } from './preflight.ts'
import { Preflight, TestSendBody } from './preflight-schemas.ts'
import { sendTest, type TestDeps } from './send-test.ts'

const tags = ['Broadcasts']
/** It renders, counts, and may wait for the servers behind the links. */
const PREFLIGHT_DEADLINE_MS = 10_000
const TEST_DEADLINE_MS = 5_000

/** Looking at a broadcast before it is sent, alike on both surfaces. */
export function preflightRoutes(app: HttpApp, deps: PreflightDeps & TestDeps, door: Door): void {
  const base = `${door.base}/broadcasts/:id`
  const operation = (verb: string) => `${door.family}Broadcasts_${verb}`
  const params = closed({ ...door.params, id: Id })

  app.get(
    `${base}/preflight`,
    {
      schema: {
        operationId: operation('preflight'),
        tags,
        summary: 'Check a broadcast before it is sent',
        description:
          'What keeps it from being sent (errors), and what should be known before (warnings): its sender, audience, ' +
          'template, links, size, text part, words that filters look for.',
        params,
        querystring: closed({
          checkLinks: Type.Optional(
            Type.Boolean({ description: 'Asks the servers behind its links, 20 at most, whether they answer.' }),
          ),
        }),
        response: { 200: Preflight },
      },
      config: { ...door.needs('broadcasts:read'), deadlineMs: PREFLIGHT_DEADLINE_MS },
    },
    async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return preflight(deps, key, { asksLinks: request.query.checkLinks === true })
    },
  )

  app.post(
    `${base}/test-send`,
    {
      schema: {
        operationId: operation('testSend'),
        tags,
        summary: 'Send a test of a broadcast',
        description:
          'To one address, as it is now, its subject beginning with “[Test]”. It goes through the default integration, ' +
          'counts nowhere, and its links to unsubscribe stop nothing.',
        params,
        body: TestSendBody,
        response: { 204: Type.Null({ description: 'It is queued.' }), ...problemResponses(422) },
      },
      config: { ...door.needs('broadcasts:send'), deadlineMs: TEST_DEADLINE_MS },
    },
    async (request, reply) => {
      await sendTest(deps, request.caller, { id: request.params.id, body: request.body })
      return reply.code(204).send(null)
    },
  )
}
