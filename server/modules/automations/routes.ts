import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { COMPILE_DEADLINE_MS } from './definition/limits.ts'
import { createAutomation, type DefinitionDeps, updateAutomation } from './definition/manage-automations.ts'
import { readAutomation, readAutomations } from './definition/read-automations.ts'
import { deleteAutomation } from './definition/steer-automation.ts'
import { AUTOMATION_STATUSES, Automation, AutomationBody, AutomationChange, AutomationListItem } from './schemas.ts'

const SEARCH_CHARS_MAX = 200
const FAULTS =
  'A definition with a fault is answered 422, with a pointer to each node at fault and what would be right, such as ' +
  '`{"pointer":"/definition/nodes/w1/timeout","detail":"must say for how long at most, such as P3D: …"}`.'

/** Automations themselves, alike on both surfaces. */
export function automationRoutes(app: HttpApp, deps: DefinitionDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.get('', 'list', {
    needs: 'automations:read',
    summary: 'List automations',
    description: 'Ascending by id, each with how many are in it. All numbers are exact.',
    query: closed({
      ...pageParameters,
      status: Type.Optional(oneOf(AUTOMATION_STATUSES)),
      search: Type.Optional(
        Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only those whose name contains this text.' }),
      ),
    }),
    answers: { 200: pageOf(AutomationListItem) },
    handle: async (request) => {
      const { page: number, pageSize, ...filter } = request.query
      const at = { page: number, pageSize }
      const { items, total } = await readAutomations(deps.sql, request.caller.workspaceId, { filter, page: at })
      return page(at, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'automations:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Create an automation',
    description: `Creates a draft; nobody comes in before it is activated. ${FAULTS}`,
    body: AutomationBody,
    answers: { 201: Automation },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createAutomation(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'automations:read',
    summary: 'Read an automation',
    description: 'With its draft.',
    answers: { 200: Automation },
    etag: true,
    handle: async (request) =>
      readAutomation(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  })

  changeRoutes(app, deps, door)
}

/** Changes of a draft. */
function changeRoutes(app: HttpApp, deps: DefinitionDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations', family: 'Automations' })

  routes.patch('/:id', 'update', {
    needs: 'automations:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Change an automation',
    description: `Changes the draft: what is published stays in force until the next version is. ${FAULTS}`,
    body: AutomationChange,
    answers: { 200: Automation },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id } = request.params
      return updateAutomation(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'automations:write',
    summary: 'Delete an automation',
    description: 'One that was in force is stopped: everybody inside leaves it, queued mail is taken back.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteAutomation(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
