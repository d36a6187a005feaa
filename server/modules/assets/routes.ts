import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { type AssetDeps, createAsset, deleteAsset, listAssets, readAsset } from './manage-assets.ts'
import { Asset, AssetBody, UPLOAD_BYTES_MAX } from './schemas.ts'

/** The pictures of a workspace's mails. */
export function assetRoutes(app: HttpApp, deps: AssetDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/assets', family: 'Assets' })

  routes.get('', 'list', {
    needs: 'templates:read',
    summary: 'List images',
    description: 'The newest first.',
    query: PageQuery,
    answers: { 200: pageOf(Asset) },
    handle: async (request) => {
      const { items, total } = await listAssets(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'templates:write',
    summary: 'Upload an image',
    description:
      'For mails: its `url` can be seen by everybody and never shows anything else. The same bytes again answer the image ' +
      'that is there. A workspace has at most 2,000 images of 256 MiB together.',
    body: AssetBody,
    bodyBytesMax: UPLOAD_BYTES_MAX,
    answers: { 201: Asset },
    problems: [409, 422],
    handle: async (request) => createAsset(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'templates:read',
    summary: 'Read an image',
    description: 'What is known of it; its `url` has the image itself.',
    answers: { 200: Asset },
    handle: async (request) => readAsset(deps, request.caller.workspaceId, request.params.id),
  })

  routes.delete('/:id', 'delete', {
    needs: 'templates:write',
    summary: 'Delete an image',
    description: 'Mails that show it have a gap there from now on, those that were sent too.',
    answers: { 204: nothing() },
    handle: async (request) => {
      await deleteAsset(deps, request.caller, request.params.id)
    },
  })
}
