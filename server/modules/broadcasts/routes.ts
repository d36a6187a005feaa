import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, mayBeAbsent, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import type { BroadcastDeps } from './broadcast-deps.ts'
import { draftForUnopened, type UnopenedDeps } from './draft-for-unopened.ts'
import { createBroadcast, deleteBroadcast, setAudience, updateBroadcast } from './manage-broadcasts.ts'
import { readBroadcast, readBroadcasts } from './read-broadcasts.ts'
import {
  AudienceBody,
  BROADCAST_SORTS,
  BROADCAST_STATUSES,
  Broadcast,
  BroadcastBody,
  BroadcastChange,
  BroadcastListItem,
  UnopenedBody,
} from './schemas.ts'

const SEARCH_CHARS_MAX = 200

/** Broadcasts themselves, alike on both surfaces. */
export function broadcastRoutes(app: HttpApp, deps: BroadcastDeps & UnopenedDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts', family: 'Broadcasts' })

  routes.get('', 'list', {
    needs: 'broadcasts:read',
    summary: 'List broadcasts',
    description:
      'Without `body` and `text`, with `counts` of one moment: they sum up, also while mail goes out. `totalItems` is exact.',
    query: closed({
      ...pageParameters,
      sort: Type.Optional(oneOf(BROADCAST_SORTS, { description: 'Ascending by id when absent; `-id`: newest first.' })),
      status: Type.Optional(oneOf(BROADCAST_STATUSES)),
      search: Type.Optional(
        Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only those whose name contains this text.' }),
      ),
    }),
    answers: { 200: pageOf(BroadcastListItem) },
    handle: async (request) => {
      const { page: number, pageSize, sort = 'id', ...filter } = request.query
      const at = { page: number, pageSize }
      const { items, total } = await readBroadcasts(deps.sql, request.caller.workspaceId, { filter, sort, page: at })
      return page(at, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'broadcasts:write',
    summary: 'Create a broadcast',
    description:
      'Creates a draft. It may be incomplete: `GET /broadcasts/{id}/preflight` says what keeps it from being sent. ' +
      'Without `segmentId` and `segmentIds` it goes to every contact with an address.',
    body: BroadcastBody,
    answers: { 201: Broadcast },
    problems: [422],
    etag: true,
    handle: async (request) => createBroadcast(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'broadcasts:read',
    summary: 'Read a broadcast',
    description: 'As it was written. How its sending goes is in `GET /broadcasts/{id}/report`.',
    answers: { 200: Broadcast },
    etag: true,
    handle: async (request) =>
      readBroadcast(deps.sql, { workspaceId: request.caller.workspaceId, id: request.params.id }),
  })

  routes.post('/:id/draft-for-unopened', 'draftForUnopened', {
    needs: 'broadcasts:write',
    summary: 'Draft a broadcast again for those who have not opened it',
    description:
      'A draft with the same content, to a segment of those whose mail was taken, did not come back, and was neither opened nor clicked by a person. ' +
      'They are determined when it is sent. Needs `segments:write`; only of a broadcast that was sent, and as long as events are kept, otherwise 409.',
    body: mayBeAbsent(UnopenedBody),
    answers: { 201: Broadcast },
    problems: [409, 422],
    etag: true,
    handle: async (request) => draftForUnopened(deps, request.caller, { id: request.params.id, body: request.body }),
  })

  draftRoutes(app, deps, door)
}

/** Changes of a draft. */
function draftRoutes(app: HttpApp, deps: BroadcastDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/broadcasts', family: 'Broadcasts' })

  routes.patch('/:id', 'update', {
    needs: 'broadcasts:write',
    summary: 'Change a broadcast',
    description: 'Absent fields stay, null clears. Only a draft changes; otherwise 409.',
    body: BroadcastChange,
    answers: { 200: Broadcast },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id } = request.params
      return updateBroadcast(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  })

  routes.put('/:id/audience', 'setAudience', {
    needs: 'broadcasts:write',
    summary: 'Say to whom a broadcast goes',
    description:
      'To the contacts of any of the segments, without those of the excluded ones. They are determined when it ' +
      'starts. Only a draft changes; otherwise 409.',
    body: AudienceBody,
    answers: { 200: Broadcast },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id } = request.params
      return setAudience(deps, request.caller, { id, body: request.body, ifMatch: ifMatchOf(request) })
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'broadcasts:write',
    summary: 'Delete a broadcast',
    description: 'Only a draft, or one that failed before anybody was written to; otherwise 409.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteBroadcast(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
