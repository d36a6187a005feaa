import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { rotateKey, updateDomain } from './change-key.ts'
import type { DomainDeps } from './domain-deps.ts'
import { askVerification, createDomain, deleteDomain } from './manage-domains.ts'
import { readDomain, readDomainChecks, readDomains } from './read-domains.ts'
import { DomainBody, DomainChange, DomainChecks, SendingDomain } from './schemas.ts'

const tags = ['Sending domains']
/** Making an RSA key takes a tenth of a second of a processor as a rule, on a busy machine far longer. */
const KEY_DEADLINE_MS = 10_000

/** The operations on sending domains, which both surfaces offer alike. */
export function sendingDomainRoutes(app: HttpApp, deps: DomainDeps, door: Door): void {
  const base = `${door.base}/sending-domains`
  const operation = (verb: string) => `${door.family}SendingDomains_${verb}`
  const read = door.needs('sending_domains:read')
  const write = door.needs('sending_domains:write')
  const makesKey = { ...write, deadlineMs: KEY_DEADLINE_MS }
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List sending domains',
        description: 'Ascending by id. `totalItems` is exact.',
        ...(door.family === 'Site' ? { params: closed({ ...door.params }) } : {}),
        querystring: closed({
          ...pageParameters,
          search: Type.Optional(Type.String({ maxLength: 253, description: 'Only domains that contain this text.' })),
          verified: Type.Optional(Type.Boolean({ description: 'Only domains that are verified, or are not.' })),
        }),
        response: { 200: pageOf(SendingDomain) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await readDomains(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a sending domain',
        description:
          'Makes an RSA key of 2048 bits for the domain and answers the three records to publish. The domain is verified ' +
          'once a check finds the DKIM record.',
        body: DomainBody,
        response: { 201: SendingDomain, ...problemResponses(409, 422) },
      },
      config: { ...makesKey, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createDomain(deps, request.caller, request.body)),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a sending domain',
        description: '`verified` and `lastCheckedAt` tell the outcome of the last DKIM check.',
        params,
        response: { 200: SendingDomain },
      },
      config: { ...read, etag: true },
    },
    async (request) => readDomain(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change the selector of a sending domain',
        description:
          'Makes a new key under the selector and shows its record; `verified` is false until a check finds it. Mail goes ' +
          'on being signed with the key before, as long as that is published.',
        params,
        body: DomainChange,
        response: { 200: SendingDomain, ...problemResponses(412, 422) },
      },
      config: { ...makesKey, etag: true },
    },
    async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return updateDomain(deps, request.caller, input)
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a sending domain',
        description: 'With its keys. Its DNS records are then of no use.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteDomain(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${base}/:id/verify`,
    {
      schema: {
        operationId: operation('verify'),
        tags,
        summary: 'Check the DNS records of a sending domain',
        description:
          'Starts a live check in the background and answers the domain as it stands. Read it again later: the outcome is ' +
          'in `verified` and `lastCheckedAt`.',
        params,
        response: { 202: SendingDomain },
      },
      config: write,
    },
    async (request, reply) => reply.code(202).send(await askVerification(deps, request.caller, request.params.id)),
  )

  app.get(
    `${base}/:id/checks`,
    {
      schema: {
        operationId: operation('listChecks'),
        tags,
        summary: 'Read what the last check found',
        description: 'DKIM for every key of the domain, SPF and DMARC: what is published, and what to do about it.',
        params,
        response: { 200: DomainChecks },
      },
      config: read,
    },
    async (request) => readDomainChecks(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  )

  app.post(
    `${base}/:id/rotate-key`,
    {
      schema: {
        operationId: operation('rotateKey'),
        tags,
        summary: 'Begin to rotate the DKIM key',
        description:
          'Makes a key under a second selector and answers all keys with their records. Publish that of `next`: once a ' +
          'check finds it, it signs, and the key before stays valid for seven days. Asked again meanwhile, nothing changes.',
        params,
        response: { 202: DomainChecks, ...problemResponses(422) },
      },
      config: makesKey,
    },
    async (request, reply) => reply.code(202).send(await rotateKey(deps, request.caller, request.params.id)),
  )
}
