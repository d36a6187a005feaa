import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { COMPILE_DEADLINE_MS } from '../templates/template-limits.ts'
import {
  changeSavedBlock,
  createSavedBlock,
  deleteSavedBlock,
  listSavedBlocks,
  readSavedBlock,
  type SavedBlockDeps,
} from './manage-saved-blocks.ts'
import { SavedBlock, SavedBlockBody, SavedBlockChange, SavedBlockSummary } from './schemas.ts'

/** Blocks that a workspace keeps for its mails. */
export function savedBlockRoutes(app: HttpApp, deps: SavedBlockDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/saved-blocks', family: 'SavedBlocks' })

  routes.get('', 'list', {
    needs: 'templates:read',
    summary: 'List saved blocks',
    description: 'By name, without their text: read one to have it.',
    query: PageQuery,
    answers: { 200: pageOf(SavedBlockSummary) },
    handle: async (request) => {
      const { items, total } = await listSavedBlocks(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'templates:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Save a block',
    description:
      'For mails to come: a mail that takes it has its text from then on. One that a mail could not be sent with is answered ' +
      '422, with each fault and its line. A workspace keeps at most 500.',
    body: SavedBlockBody,
    answers: { 201: SavedBlock },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createSavedBlock(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'templates:read',
    summary: 'Read a saved block',
    answers: { 200: SavedBlock },
    etag: true,
    handle: async (request) => readSavedBlock(deps, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'templates:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Change a saved block',
    description: 'Absent fields stay. Mails that have taken it keep their text.',
    body: SavedBlockChange,
    answers: { 200: SavedBlock },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) =>
      changeSavedBlock(deps, request.caller, {
        ...{ id: request.params.id, change: request.body, ifMatch: ifMatchOf(request) },
      }),
  })

  routes.delete('/:id', 'delete', {
    needs: 'templates:write',
    summary: 'Delete a saved block',
    description: 'Mails that have taken it keep their text.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteSavedBlock(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
