import type { HttpApp } from '../../platform/http/http-app.ts'
import { overSignal } from '../../platform/http/over-signal.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { Turns } from '../../platform/turns.ts'
import { type Door, routesOf } from '../door.ts'
import { publishAutomation } from './definition/publish-automation.ts'
import { runScenarios, type ScenarioDeps } from './scenarios/run-scenarios.ts'
import { RunScenariosBody, ScenarioRun } from './scenarios/schemas.ts'
import { PublishBody, Published, publishingQuery } from './schemas.ts'
import { previewPublish } from './seeing/preview-publish.ts'
import { PublishPreview } from './seeing/publish-schemas.ts'

const PREVIEW_DEADLINE_MS = 10_000
/** Previews of a process: each may hold a connection for seconds, and those of one workspace leave others a turn. */
export const PREVIEW_TURNS = { atOnceMax: 3, atOnceOfOneMax: 2, waitingMax: 20, retryAfterSeconds: 2 }
/** Scenarios are played before it is answered. */
export const SCENARIOS_DEADLINE_MS = 10_000

/** A draft that comes into force, and those inside with it. */
export function publishRoutes(app: HttpApp, deps: ScenarioDeps & { previews: Turns }, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.post('/:id/publish-preview', 'previewPublish', {
    needs: 'automations:write',
    deadlineMs: PREVIEW_DEADLINE_MS,
    summary: 'See what publishing would do',
    description: 'Node by node: what differs, who stands there, where they go on, and what the next 24 hours hold.',
    body: PublishBody,
    answers: { 200: PublishPreview },
    problems: [409, 412, 422],
    handle: async (request, reply) => {
      const { workspaceId } = request.caller
      const key = { workspaceId, id: request.params.id, ifMatch: ifMatchOf(request) }
      const gone = overSignal(reply)
      return deps.previews(workspaceId, () => previewPublish(deps.sql, key, request.body, gone), gone)
    },
  })

  routes.post('/:id/publish', 'publish', {
    needs: 'automations:activate',
    deadlineMs: SCENARIOS_DEADLINE_MS,
    query: publishingQuery,
    summary: 'Publish the draft',
    description:
      'Makes it the version in force; whether anybody may come in stays as it is. Those inside older versions stay there, ' +
      'come along, or leave, in chunks; whatever an earlier publishing had begun for them and has not done yet is revoked. ' +
      'With an unchanged draft only those inside are concerned. `If-Match` names the draft that is meant. 409 `scenarios-failed` where ' +
      'scenarios fail.',
    body: PublishBody,
    answers: { 200: Published },
    problems: [409, 412, 422],
    handle: async (request) => {
      const given = { id: request.params.id, body: request.body, ifMatch: ifMatchOf(request), ...request.query }
      return publishAutomation(deps, request.caller, given)
    },
  })

  routes.post('/:id/run-scenarios', 'runScenarios', {
    needs: 'automations:read',
    deadlineMs: SCENARIOS_DEADLINE_MS,
    summary: 'Play scenarios',
    description:
      'Plays the scenarios of the draft, or those that are given, on a clock of their own, and holds what comes of them against what is ' +
      'expected. Nobody is mailed and nothing is written. A fault of what is given is 422 with a pointer.',
    body: RunScenariosBody,
    answers: { 200: ScenarioRun },
    problems: [422],
    handle: async (request) =>
      runScenarios(deps, { workspaceId: request.caller.workspaceId, id: request.params.id }, request.body),
  })
}
