import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import {
  type BulkActDeps,
  cancelBulkAct,
  createBulkAct,
  createBulkErasure,
  listBulkActs,
  previewBulkAct,
  readBulkAct,
  undoBulkAct,
} from './bulk-acts.ts'
import type { BulkActRow } from './queries.ts'
import { BulkAct, BulkActBody, BulkActPreview, BulkActPreviewBody, BulkErasureBody } from './schemas.ts'

/** Acts on everybody whom a filter finds. */
export function bulkActRoutes(app: HttpApp, deps: BulkActDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts/bulk-acts', family: 'BulkActs' })

  routes.post('/preview', 'preview', {
    needs: 'contacts:read',
    summary: 'Count whom a bulk act is about',
    description: 'Exactly, and how many of them it would change. Nothing is done.',
    body: BulkActPreviewBody,
    answers: { 200: BulkActPreview },
    problems: [422],
    handle: async (request) => previewBulkAct(deps, request.caller.workspaceId, request.body),
  })

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Act on everybody whom a filter finds',
    description: 'In the background. Those who fit when it begins are noted, and each of them is changed once.',
    body: BulkActBody,
    answers: { 202: BulkAct },
    problems: [409, 422],
    handle: async (request) => bulkActOf(await createBulkAct(deps, request.caller, request.body)),
  })

  routes.post('/erase', 'erase', {
    needs: 'contacts:erase',
    summary: 'Erase everybody whom a filter finds',
    description:
      'In the background, as one person is erased: the contacts at once, everything else that tells of them within the next ' +
      'minutes. Nobody is erased when they are not exactly as many as you expect. It cannot be undone.',
    body: BulkErasureBody,
    answers: { 202: BulkAct },
    problems: [409, 422],
    handle: async (request) => bulkActOf(await createBulkErasure(deps, request.caller, request.body)),
  })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List bulk acts',
    description: 'The newest first.',
    query: PageQuery,
    answers: { 200: pageOf(BulkAct) },
    handle: async (request) => {
      const { rows, total } = await listBulkActs(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, rows.map(bulkActOf))
    },
  })
}

/** Of one act: its progress, and the ways out of it. */
export function oneBulkActRoutes(app: HttpApp, deps: BulkActDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts/bulk-acts', family: 'BulkActs' })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read a bulk act',
    description: 'With its progress.',
    answers: { 200: BulkAct },
    handle: async (request) => {
      const { workspaceId } = request.caller
      return bulkActOf(await readBulkAct(deps, { workspaceId, id: request.params.id }))
    },
  })

  routes.post('/:id/cancel', 'cancel', {
    needs: 'contacts:write',
    summary: 'Cancel a bulk act',
    description: 'Contacts that it has changed stay so, until it is undone; erased ones stay erased.',
    answers: { 200: BulkAct },
    problems: [409],
    handle: async (request) => bulkActOf(await cancelBulkAct(deps, request.caller, request.params.id)),
  })

  routes.post('/:id/undo', 'undo', {
    needs: 'contacts:write',
    summary: 'Undo a bulk act',
    description: 'By another one, for those alone whom it has changed: for a week, and once.',
    answers: { 202: BulkAct },
    problems: [409],
    handle: async (request) => bulkActOf(await undoBulkAct(deps, request.caller, request.params.id)),
  })
}

function bulkActOf(row: BulkActRow): BulkAct {
  const { id, act, tag, state, undoes, canBeUndone, failure, createdAt, endedAt } = row
  return {
    ...{ id, act, tag, state, undoes, canBeUndone, failure, createdAt, endedAt },
    filter: row.named ? null : JSON.parse(row.filter),
    contacts: {
      total: Number(row.contactsTotal),
      done: Number(row.contactsDone),
      changed: Number(row.contactsChanged),
    },
  }
}
