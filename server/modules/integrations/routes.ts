import { Type } from 'typebox'
import { PROVIDERS } from '../../catalogue/providers.ts'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { CHECK_DEADLINE_MS } from './check-server.ts'
import { createIntegration } from './create-integration.ts'
import { deleteIntegration } from './delete-integration.ts'
import { integrationOf, versionOf } from './integration-of.ts'
import { readIntegration, readIntegrations } from './read-integrations.ts'
import { CHANNELS, Integration, IntegrationBody, IntegrationChange, TestBody, TestResult } from './schemas.ts'
import { type TestDeps, testConfig, testIntegration } from './test-integration.ts'
import { updateIntegration } from './update-integration.ts'

/** A test waits for somebody else's server, and then for the entry in the audit log. */
const TEST_DEADLINE_MS = CHECK_DEADLINE_MS + 3_000

/** The operations on integrations, alike on both surfaces. */
export function integrationRoutes(app: HttpApp, deps: TestDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/integrations', family: 'Integrations' })

  routes.get('', 'list', {
    needs: 'integrations:read',
    summary: 'List integrations',
    description: 'Ascending by id. `totalItems` is exact.',
    query: closed({
      ...pageParameters,
      channel: Type.Optional(oneOf(CHANNELS)),
      provider: Type.Optional(oneOf(PROVIDERS)),
      enabled: Type.Optional(Type.Boolean()),
    }),
    answers: { 200: pageOf(Integration) },
    handle: async (request) => {
      const { page: number, pageSize, ...filter } = request.query
      const at = { page: number, pageSize }
      const { items, total } = await readIntegrations(deps.sql, request.caller.workspaceId, { filter, page: at })
      return page(at, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'integrations:write',
    summary: 'Create an integration',
    description:
      'A mail server (`smtp`) or an account of Amazon SES (`ses`) that the workspace sends through. Secrets are ' +
      'written, encrypted and never shown again. Nothing is connected to: test it with `POST /integrations/{id}/test`.',
    body: IntegrationBody,
    answers: { 201: Integration },
    problems: [422],
    etag: versionOf,
    handle: async (request) => {
      return integrationOf(await createIntegration(deps, request.caller, request.body))
    },
  })

  routes.get('/:id', 'get', {
    needs: 'integrations:read',
    summary: 'Read an integration',
    answers: { 200: Integration },
    etag: versionOf,
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return integrationOf(await readIntegration(deps.sql, key))
    },
  })

  testRoutes(app, deps, door)

  changeRoutes(app, deps, door)
}

/** Changes of an integration. */
function changeRoutes(app: HttpApp, deps: TestDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/integrations', family: 'Integrations' })

  routes.patch('/:id', 'update', {
    needs: 'integrations:write',
    summary: 'Change an integration',
    description:
      'Absent fields stay, null clears a limit. Without `config` the server and its secrets stay. A stored secret ' +
      'stays only with the server it was given for: with another host, port, TLS mode, username, region or endpoint ' +
      'it has to be given again.',
    body: IntegrationChange,
    answers: { 200: Integration },
    problems: [412, 422],
    etag: versionOf,
    handle: async (request) => {
      const input = { id: request.params.id, body: request.body, ifMatch: ifMatchOf(request) }
      return integrationOf(await updateIntegration(deps, request.caller, input))
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'integrations:write',
    summary: 'Delete an integration',
    description: 'With its secrets. Deleting the default leaves the channel without one.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteIntegration(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}

/** Whether mail could be handed over, before and after an integration is kept. */
function testRoutes(app: HttpApp, deps: TestDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/integrations', family: 'Integrations' })

  routes.post('/:id/test', 'test', {
    needs: 'integrations:write',
    summary: 'Test an integration',
    description:
      'Connects, agrees on TLS and logs in as sending would, and sends nothing. A failure is an answer of 200 with ' +
      '`ok` false that says where it failed. Takes at most 15 seconds.',
    answers: { 200: TestResult },
    problems: [429],
    deadlineMs: TEST_DEADLINE_MS,
    handle: async (request) => testIntegration(deps, request.caller, request.params.id),
  })

  routes.post('/test', 'testConfig', {
    needs: 'integrations:write',
    summary: 'Test a config before it is kept',
    description: 'As the test of an integration, with a config that is not stored.',
    body: TestBody,
    answers: { 200: TestResult },
    problems: [422, 429],
    deadlineMs: TEST_DEADLINE_MS,
    handle: async (request) => testConfig(deps, request.caller, request.body.config),
  })
}
