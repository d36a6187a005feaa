import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { type Door, routesOf } from '../door.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import {
  activateAutomation,
  deactivateAutomation,
  pauseAutomation,
  resumeAutomation,
  stopAutomation,
} from './definition/steer-automation.ts'
import { enrollContacts } from './entry/enroll-contacts.ts'
import { SCENARIOS_DEADLINE_MS } from './publish-routes.ts'
import { steerRuns } from './run/steer-runs.ts'
import type { ScenarioDeps } from './scenarios/run-scenarios.ts'
import { Automation, EnrollBody, Enrolled, ParkedBody, publishingQuery, ResumeBody, SteeredRuns } from './schemas.ts'

const ENROLL_DEADLINE_MS = 10_000

/** Acts that bring people in, hold them, or let them go. */
export function actRoutes(app: HttpApp, deps: DefinitionDeps & ScenarioDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const needs = 'automations:activate'
  const answers = { 200: Automation }

  routes.post('/:id/activate', 'activate', {
    ...{ needs, answers },
    deadlineMs: SCENARIOS_DEADLINE_MS,
    query: publishingQuery,
    summary: 'Activate an automation',
    description:
      'Publishes the draft, if it differs from the version in force, and opens the entry. Those inside stay in their version. ' +
      '`If-Match` names the draft that is meant. 409 `scenarios-failed` where scenarios fail.',
    problems: [409, 412, 422],
    handle: async (request) =>
      activateAutomation(deps, request.caller, {
        ...{ id: request.params.id, ifMatch: ifMatchOf(request) },
        ...request.query,
      }),
  })

  routes.post('/:id/deactivate', 'deactivate', {
    ...{ needs, answers },
    summary: 'Close the entry of an automation',
    description: 'Nobody comes in any more; those inside go on.',
    problems: [409],
    handle: async (request) => deactivateAutomation(deps, request.caller, request.params.id),
  })

  routes.post('/:id/pause', 'pause', {
    ...{ needs, answers },
    summary: 'Pause an automation',
    description:
      'From the answer on nobody goes on and no mail of it goes out. Whoever wants to come in waits; exits take effect.',
    problems: [409],
    handle: async (request) => pauseAutomation(deps, request.caller, request.params.id),
  })

  routes.post('/:id/resume', 'resume', {
    ...{ needs, answers },
    summary: 'Resume an automation',
    description: 'Nobody was lost meanwhile. `late` says what becomes of timers.',
    body: ResumeBody,
    problems: [409],
    handle: async (request) => resumeAutomation(deps, request.caller, { id: request.params.id, ...request.body }),
  })

  routes.post('/:id/stop', 'stop', {
    ...{ needs, answers },
    summary: 'Stop an automation',
    description: 'For good: everybody inside leaves it, and mail that is not being handed over yet is taken back.',
    problems: [409],
    handle: async (request) => stopAutomation(deps, request.caller, request.params.id),
  })
}

/** Acts on people: those who come in by hand, and those inside. */
export function runActRoutes(app: HttpApp, deps: DefinitionDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const needs = 'automations:activate'

  routes.post('/:id/enroll', 'enroll', {
    needs,
    deadlineMs: ENROLL_DEADLINE_MS,
    summary: 'Enroll contacts',
    description:
      'Those named, or those of a segment. The automation takes each by its own rules, without its filter of events.',
    body: EnrollBody,
    answers: { 202: Enrolled },
    problems: [409, 422],
    handle: async (request) => enrollContacts(deps, request.caller, { id: request.params.id, body: request.body }),
  })

  routes.post('/:id/runs/:runId/retry', 'retryRun', {
    needs,
    summary: 'Retry a run',
    description: 'Tries the node again that it is parked at.',
    answers: { 200: SteeredRuns },
    problems: [409],
    handle: async (request) => steerRuns(deps, request.caller, { ...request.params, act: 'retry' }),
  })

  routes.post('/:id/runs/:runId/skip', 'skipRun', {
    needs,
    summary: 'Have a run go on behind its node',
    description:
      'Goes on from the node that it is parked at, which is not done: a branch by `else`, an email by `skipped`.',
    answers: { 200: SteeredRuns },
    problems: [409],
    handle: async (request) => steerRuns(deps, request.caller, { ...request.params, act: 'skip' }),
  })

  routes.post('/:id/runs/:runId/exit', 'exitRun', {
    needs,
    summary: 'Have a run leave',
    description: 'Wherever it stands; its queued mail is taken back.',
    answers: { 200: SteeredRuns },
    problems: [409],
    handle: async (request) => steerRuns(deps, request.caller, { ...request.params, act: 'exit' }),
  })

  parkedRoutes(app, deps, door)
}

/** Acts on all who are parked. */
function parkedRoutes(app: HttpApp, deps: DefinitionDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const needs = 'automations:activate'
  const parked = { needs, body: ParkedBody, answers: { 200: SteeredRuns } } as const
  const description = 'All, or those of a node; 10,000 a call.'

  routes.post('/:id/parked/retry', 'retryParked', {
    ...parked,
    summary: 'Retry parked runs',
    description: `${description} A node that is halted is no more.`,
    handle: async (request) => steerRuns(deps, request.caller, parkedOf(request, 'retry')),
  })

  routes.post('/:id/parked/skip', 'skipParked', {
    ...parked,
    summary: 'Have parked runs go on behind their nodes',
    description,
    handle: async (request) => steerRuns(deps, request.caller, parkedOf(request, 'skip')),
  })

  routes.post('/:id/parked/exit', 'exitParked', {
    ...parked,
    summary: 'Have parked runs leave',
    description,
    handle: async (request) => steerRuns(deps, request.caller, parkedOf(request, 'exit')),
  })
}

const parkedOf = <A>({ params, body }: { params: { id: string }; body: { node?: string } }, act: A) => ({
  ...{ id: params.id, node: body.node },
  act,
})
