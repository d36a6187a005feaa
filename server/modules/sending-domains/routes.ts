import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { rotateKey, updateDomain } from './change-key.ts'
import type { DomainDeps } from './domain-deps.ts'
import { askVerification, createDomain, deleteDomain } from './manage-domains.ts'
import { readDomain, readDomainChecks, readDomains } from './read-domains.ts'
import { readRates } from './read-rates.ts'
import { DomainBody, DomainChange, DomainChecks, DomainRates, SendingDomain } from './schemas.ts'

/** Making an RSA key takes a tenth of a second of a processor as a rule, on a busy machine far longer. */
const KEY_DEADLINE_MS = 10_000

/** The operations on sending domains, which both surfaces offer alike. */
export function sendingDomainRoutes(app: HttpApp, deps: DomainDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/sending-domains', family: 'SendingDomains', tag: 'Sending domains' })

  routes.get('', 'list', {
    needs: 'sending_domains:read',
    summary: 'List sending domains',
    description: 'Ascending by id. `totalItems` is exact.',
    query: closed({
      ...pageParameters,
      search: Type.Optional(Type.String({ maxLength: 253, description: 'Only domains that contain this text.' })),
      verified: Type.Optional(Type.Boolean({ description: 'Only domains that are verified, or are not.' })),
    }),
    answers: { 200: pageOf(SendingDomain) },
    handle: async (request) => {
      const { items, total } = await readDomains(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'sending_domains:write',
    deadlineMs: KEY_DEADLINE_MS,
    summary: 'Create a sending domain',
    description:
      'Makes an RSA key of 2048 bits for the domain and answers the three records to publish. The domain is verified ' +
      'once a check finds the DKIM record.',
    body: DomainBody,
    answers: { 201: SendingDomain },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createDomain(deps, request.caller, request.body),
  })

  routes.get('/rates', 'listRates', {
    needs: 'sending_domains:read',
    summary: 'List the rates of sending domains',
    description:
      'Which share of the mail that a domain signed, and that was accepted in the window, came back or was reported as ' +
      'spam. Providers begin to refuse mail at 5 % and 0.1 %. Ascending by id.',
    query: closed({
      ...pageParameters,
      windowDays: Type.Integer({ minimum: 1, maximum: 90, default: 30, description: 'The days before now.' }),
    }),
    answers: { 200: pageOf(DomainRates) },
    handle: async (request) => {
      const { items, total } = await readRates(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.get('/:id', 'get', {
    needs: 'sending_domains:read',
    summary: 'Read a sending domain',
    description: '`verified` and `lastCheckedAt` tell the outcome of the last DKIM check.',
    answers: { 200: SendingDomain },
    etag: true,
    handle: async (request) => readDomain(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  })

  recordRoutes(app, deps, door)

  changeRoutes(app, deps, door)
}

/** Changes of a sending domain. */
function changeRoutes(app: HttpApp, deps: DomainDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/sending-domains', family: 'SendingDomains', tag: 'Sending domains' })

  routes.patch('/:id', 'update', {
    needs: 'sending_domains:write',
    deadlineMs: KEY_DEADLINE_MS,
    summary: 'Change the selector of a sending domain',
    description:
      'Makes a new key under the selector and shows its record; `verified` is false until a check finds it. Mail goes ' +
      'on being signed with the key before, as long as that is published.',
    body: DomainChange,
    answers: { 200: SendingDomain },
    problems: [412, 422],
    etag: true,
    handle: async (request) => {
      const input = { id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) }
      return updateDomain(deps, request.caller, input)
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'sending_domains:write',
    summary: 'Delete a sending domain',
    description: 'With its keys. Its DNS records are then of no use.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteDomain(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}

/** The DNS records of a domain, and the key in them. */
function recordRoutes(app: HttpApp, deps: DomainDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/sending-domains', family: 'SendingDomains', tag: 'Sending domains' })

  routes.post('/:id/verify', 'verify', {
    needs: 'sending_domains:write',
    summary: 'Check the DNS records of a sending domain',
    description:
      'Starts a live check in the background and answers the domain as it stands. Read it again later: the outcome is ' +
      'in `verified` and `lastCheckedAt`.',
    answers: { 202: SendingDomain },
    handle: async (request) => askVerification(deps, request.caller, request.params.id),
  })

  routes.get('/:id/checks', 'listChecks', {
    needs: 'sending_domains:read',
    summary: 'Read what the last check found',
    description: 'DKIM for every key of the domain, SPF and DMARC: what is published, and what to do about it.',
    answers: { 200: DomainChecks },
    handle: async (request) =>
      readDomainChecks(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  })

  routes.post('/:id/rotate-key', 'rotateKey', {
    needs: 'sending_domains:write',
    deadlineMs: KEY_DEADLINE_MS,
    summary: 'Begin to rotate the DKIM key',
    description:
      'Makes a key under a second selector and answers all keys with their records. Publish that of `next`: once a ' +
      'check finds it, it signs, and the key before stays valid for seven days. Asked again meanwhile, nothing changes.',
    answers: { 202: DomainChecks },
    problems: [422],
    handle: async (request) => rotateKey(deps, request.caller, request.params.id),
  })
}
