import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { Id } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { cancelSimulation, createSimulation, listSimulations, readSimulation } from './simulate/manage-simulations.ts'
import { SimulateBody, Simulation, SimulationList } from './simulate/schemas.ts'

/** The time machine: a draft over past events, before it mails anybody. */
export function simulationRoutes(app: HttpApp, { sql }: Pick<DefinitionDeps, 'sql'>, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })
  const params = { simulationId: Type.String({ ...Id, description: 'Id of a simulation.' }) }

  routes.post('/:id/simulate', 'simulate', {
    needs: 'automations:read',
    summary: 'Simulate the draft',
    description:
      'Replays what really happened within a window through the draft and through the version in force, in the background. ' +
      'Nobody is mailed, and nothing but the report is written. Everybody begins outside.',
    body: SimulateBody,
    answers: { 202: Simulation },
    problems: [409, 422],
    handle: async (request) => createSimulation({ sql }, request.caller, { ...request.params, body: request.body }),
  })

  routes.get('/:id/simulations', 'listSimulations', {
    needs: 'automations:read',
    summary: 'List the simulations of an automation',
    description: 'The last 20, newest first, without their reports.',
    answers: { 200: SimulationList },
    handle: async (request) => ({
      items: await listSimulations(
        { sql },
        { workspaceId: request.caller.workspaceId, automationId: request.params.id },
      ),
    }),
  })

  routes.get('/:id/simulations/:simulationId', 'getSimulation', {
    needs: 'automations:read',
    summary: 'Read a simulation',
    description: 'How far it is, and its report once it is done.',
    params,
    answers: { 200: Simulation },
    handle: async (request) => {
      const { id: automationId, simulationId: id } = request.params
      return readSimulation({ sql }, { workspaceId: request.caller.workspaceId, automationId, id })
    },
  })

  routes.post('/:id/simulations/:simulationId/cancel', 'cancelSimulation', {
    needs: 'automations:read',
    summary: 'Cancel a simulation',
    description: 'It leaves no report.',
    params,
    answers: { 200: Simulation },
    problems: [409],
    handle: async (request) => {
      const { id: automationId, simulationId: id } = request.params
      return cancelSimulation({ sql }, request.caller, { workspaceId: request.caller.workspaceId, automationId, id })
    },
  })
}
