import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { CHECK_DEADLINE_MS } from './check-server.ts'
import { createIntegration } from './create-integration.ts'
import { deleteIntegration } from './delete-integration.ts'
import { integrationOf, versionOf } from './integration-of.ts'
import { readIntegration, readIntegrations } from './read-integrations.ts'
import {
  CHANNELS,
  Integration,
  IntegrationBody,
  IntegrationChange,
  PROVIDERS,
  TestBody,
  TestResult,
} from './schemas.ts'
import { type TestDeps, testConfig, testIntegration } from './test-integration.ts'
import { updateIntegration } from './update-integration.ts'

const tags = ['Integrations']
/** A test waits for somebody else's server, and then for the entry in the audit log. */
const TEST_DEADLINE_MS = CHECK_DEADLINE_MS + 3_000

/** The operations on integrations, alike on both surfaces. */
export function integrationRoutes(app: HttpApp, deps: TestDeps, door: Door): void {
  const base = `${door.base}/integrations`
  const operation = (verb: string) => `${door.family}Integrations_${verb}`
  const read = door.needs('integrations:read')
  const write = door.needs('integrations:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List integrations',
        description: 'Ascending by id. `totalItems` is exact.',
        querystring: closed({
          ...pageParameters,
          channel: Type.Optional(oneOf(CHANNELS)),
          provider: Type.Optional(oneOf(PROVIDERS)),
          enabled: Type.Optional(Type.Boolean()),
        }),
        response: { 200: pageOf(Integration) },
      },
      config: read,
    },
    async (request) => {
      const { page: number, pageSize, ...filter } = request.query
      const at = { page: number, pageSize }
      const { items, total } = await readIntegrations(deps.sql, request.caller.workspaceId, { filter, page: at })
      return page(at, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create an integration',
        description:
          'A mail server (`smtp`) or an account of Amazon SES (`ses`) that the workspace sends through. Secrets are ' +
          'written, encrypted and never shown again. Nothing is connected to: test it with `POST /integrations/{id}/test`.',
        body: IntegrationBody,
        response: { 201: Integration, ...problemResponses(422) },
      },
      config: { ...write, etag: versionOf },
    },
    async (request, reply) => {
      return reply.code(201).send(integrationOf(await createIntegration(deps, request.caller, request.body)))
    },
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read an integration',
        params,
        response: { 200: Integration },
      },
      config: { ...read, etag: versionOf },
    },
    async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      return integrationOf(await readIntegration(deps.sql, key))
    },
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change an integration',
        description:
          'Absent fields stay, null clears a limit. Without `config` the server and its secrets stay. A stored secret ' +
          'stays only with the server it was given for: with another host, port, TLS mode, username, region or endpoint ' +
          'it has to be given again.',
        params,
        body: IntegrationChange,
        response: { 200: Integration, ...problemResponses(412, 422) },
      },
      config: { ...write, etag: versionOf },
    },
    async (request) => {
      const input = { id: request.params.id, body: request.body, ifMatch: ifMatchOf(request) }
      return integrationOf(await updateIntegration(deps, request.caller, input))
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete an integration',
        description: 'With its secrets. Deleting the default leaves the channel without one.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteIntegration(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${base}/:id/test`,
    {
      schema: {
        operationId: operation('test'),
        tags,
        summary: 'Test an integration',
        description:
          'Connects, agrees on TLS and logs in as sending would, and sends nothing. A failure is an answer of 200 with ' +
          '`ok` false that says where it failed. Takes at most 15 seconds.',
        params,
        response: { 200: TestResult, ...problemResponses(429) },
      },
      config: { ...write, deadlineMs: TEST_DEADLINE_MS },
    },
    async (request) => testIntegration(deps, request.caller, request.params.id),
  )

  app.post(
    `${base}/test`,
    {
      schema: {
        operationId: operation('testConfig'),
        tags,
        summary: 'Test a config before it is kept',
        description: 'As the test of an integration, with a config that is not stored.',
        body: TestBody,
        response: { 200: TestResult, ...problemResponses(422, 429) },
      },
      config: { ...write, deadlineMs: TEST_DEADLINE_MS },
    },
    async (request) => testConfig(deps, request.caller, request.body.config),
  )
}
