import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { type Door, routesOf } from '../door.ts'
import { listConflicts } from './identity-conflicts.ts'
import { createIdentityKey, deleteIdentityKey, type KeyDeps, listIdentityKeys } from './manage-identity-keys.ts'
import { type ResolveDeps, resolveConflict } from './resolve-conflict.ts'
import { IdentityConflict, IdentityKeyList, NewIdentityKey, ResolveBody } from './schemas.ts'

/** Keys that a workspace's server signs with, by tracker. */
export function identityKeyRoutes(app: HttpApp, deps: KeyDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/trackers', family: 'IdentityKeys' })

  routes.get('/:id/identity-keys', 'list', {
    needs: 'trackers:read',
    summary: 'List the identity keys of a tracker',
    description: 'Those that are good, oldest first, without their secrets.',
    answers: { 200: IdentityKeyList },
    handle: async (request) => ({ items: await listIdentityKeys(deps, request.caller.workspaceId, request.params.id) }),
  })

  routes.post('/:id/identity-keys', 'create', {
    needs: 'trackers:write',
    summary: 'Make an identity key',
    description: 'For your server to sign who somebody is. Its secret is shown this once; two are good at a time.',
    answers: { 201: NewIdentityKey },
    problems: [409],
    secret: true,
    handle: async (request) => createIdentityKey(deps, request.caller, request.params.id),
  })

  routes.delete('/:id/identity-keys/:kid', 'delete', {
    needs: 'trackers:write',
    summary: 'Delete an identity key',
    description: 'Tokens signed with it are refused from then on.',
    answers: { 204: nothing() },
    handle: async (request) => {
      const { id, kid } = request.params
      await deleteIdentityKey(deps, request.caller, { trackerId: id, kid })
    },
  })
}

export function identityConflictRoutes(app: HttpApp, deps: ResolveDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/identity-conflicts', family: 'IdentityConflicts' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List identity conflicts',
    description:
      'Statements of your server that contacts contradict, and about which nothing was done. Ascending by id.',
    query: PageQuery,
    answers: { 200: pageOf(IdentityConflict) },
    handle: async (request) => {
      const { items, total } = await listConflicts(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('/:id/resolve', 'resolve', {
    needs: 'contacts:write',
    summary: 'Resolve an identity conflict',
    description: 'It leaves the list. Merging cannot be undone.',
    body: ResolveBody,
    answers: { 204: nothing() },
    problems: [422],
    handle: async (request) => {
      await resolveConflict(deps, request.caller, { id: request.params.id, as: request.body.as })
    },
  })
}
