import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import type { BroadcastDeps } from './broadcast-deps.ts'
import { createBroadcast, deleteBroadcast, setAudience, updateBroadcast } from './manage-broadcasts.ts'
import { readBroadcast, readBroadcasts } from './read-broadcasts.ts'
import {
  AudienceBody,
  BROADCAST_STATUSES,
  Broadcast,
  BroadcastBody,
  BroadcastChange,
  BroadcastSummary,
} from './schemas.ts'

const tags = ['Broadcasts']
const SEARCH_CHARS_MAX = 200

/** Broadcasts themselves, alike on both surfaces. */
export function broadcastRoutes(app: HttpApp, deps: BroadcastDeps, door: Door): void {
  const base = `${door.base}/broadcasts`
  const operation = (verb: string) => `${door.family}Broadcasts_${verb}`
  const read = door.needs('broadcasts:read')
  const write = door.needs('broadcasts:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List broadcasts',
        description: 'Ascending by id, without `body` and `text`. `totalItems` is exact.',
        querystring: closed({
          ...pageParameters,
          status: Type.Optional(oneOf(BROADCAST_STATUSES)),
          search: Type.Optional(
            Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only those whose name contains this text.' }),
          ),
        }),
        response: { 200: pageOf(BroadcastSummary) },
      },
      config: read,
    },
    async (request) => {
      const { page: number, pageSize, ...filter } = request.query
      const at = { page: number, pageSize }
      const { items, total } = await readBroadcasts(deps.sql, request.caller.workspaceId, { filter, page: at })
      return page(at, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a broadcast',
        description:
          'Creates a draft. It may be incomplete: `GET /broadcasts/{id}/preflight` says what keeps it from being sent. ' +
          'Without `segmentId` it goes to every contact with an address.',
        body: BroadcastBody,
        response: { 201: Broadcast, ...problemResponses(422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createBroadcast(deps, request.caller, request.body)),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a broadcast',
        description: 'As it was written. How its sending goes is in `GET /broadcasts/{id}/report`.',
        params,
        response: { 200: Broadcast },
      },
      config: { ...read, etag: true },
    },
    async (request) => readBroadcast(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change a broadcast',
        description: 'Absent fields stay, null clears. Only a draft changes; otherwise 409.',
        params,
        body: BroadcastChange,
        response: { 200: Broadcast, ...problemResponses(409, 412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const { id } = request.params
      return updateBroadcast(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  )

  app.put(
    `${base}/:id/audience`,
    {
      schema: {
        operationId: operation('setAudience'),
        tags,
        summary: 'Say to whom a broadcast goes',
        description:
          'To the contacts of any of the segments, without those of the excluded ones. Who that is, is decided when it ' +
          'starts. Only a draft changes; otherwise 409.',
        params,
        body: AudienceBody,
        response: { 200: Broadcast, ...problemResponses(409, 412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const { id } = request.params
      return setAudience(deps, request.caller, { id, body: request.body, ifMatch: ifMatchOf(request) })
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a broadcast',
        description: 'Only a draft, or one that failed before anybody was written to; otherwise 409.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(409, 412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteBroadcast(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )
}
