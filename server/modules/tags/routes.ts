import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { PageQuery, page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { createTag, deleteTag, renameTag, type TagDeps } from './manage-tags.ts'
import { countTagged, listContactTags, listTags, readTag } from './read-tags.ts'
import { CountedTag, Tag, TagBody, TagChange, TagCount, tagFilters } from './schemas.ts'
import { tagContact, untagContact } from './tag-contact.ts'

/** The tags of a workspace. The dashboard's list shows how many contacts have each. */
export function tagRoutes(app: HttpApp, deps: TagDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/tags', family: 'Tags' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List tags',
    description: 'By name, capital letters before small ones. `totalItems` is exact.',
    query: closed({ ...pageParameters, ...tagFilters }),
    answers: { 200: pageOf(door.family === 'Site' ? CountedTag : Tag) },
    handle: async (request) => {
      const { items, total } = await listTags(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Create a tag',
    description:
      'One that no contact has yet. Giving a contact a tag that is not there creates it too. `VIP` and `vip` are one ' +
      'tag, spelled as it was first.',
    body: TagBody,
    answers: { 201: Tag },
    problems: [409],
    etag: true,
    handle: async (request) => createTag(deps, request.caller, request.body.name),
  })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read a tag',
    description: 'With its entity tag, for `If-Match` on a change.',
    answers: { 200: Tag },
    etag: true,
    handle: async (request) => readTag(deps.sql, request.caller.workspaceId, request.params.id),
  })

  routes.get('/:id/count', 'count', {
    needs: 'contacts:read',
    summary: 'Count the contacts of a tag',
    description: 'Exact, and at no cost that grows with their number.',
    answers: { 200: TagCount },
    handle: async (request) => countTagged(deps.sql, request.caller.workspaceId, request.params.id),
  })

  changeRoutes(app, deps, door)
}

/** Changes of a tag. */
function changeRoutes(app: HttpApp, deps: TagDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/tags', family: 'Tags' })

  routes.patch('/:id', 'update', {
    needs: 'contacts:write',
    summary: 'Rename a tag',
    description: 'Its contacts keep it; segments and forms that name it follow. 422 while an automation names it.',
    body: TagChange,
    answers: { 200: Tag },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const input = { id: request.params.id, name: request.body.name, ifMatch: ifMatchOf(request) }
      return renameTag(deps, request.caller, input)
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'contacts:write',
    summary: 'Delete a tag',
    description:
      'Gone at once from every list; in the background each of its contacts gets its `contact.untagged` event. 409 while a segment, an automation or a form names it.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteTag(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}

/** The tags of one contact. */
export function contactTagRoutes(app: HttpApp, deps: TagDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts/:contactId/tags', family: 'ContactTags', tag: 'Tags' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List the tags of a contact',
    description: 'By name, capital letters before small ones.',
    query: PageQuery,
    answers: { 200: pageOf(Tag) },
    handle: async (request) => {
      const query = { ...request.query, contactId: request.params.contactId }
      const { items, total } = await listContactTags(deps.sql, request.caller.workspaceId, query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'apply', {
    needs: 'contacts:write',
    summary: 'Give a contact a tag',
    description: 'By its name; a tag that is not there is created. The same again changes nothing.',
    body: TagBody,
    answers: { 200: Tag },
    handle: async (request) => {
      const { contactId } = request.params
      return tagContact(deps, request.caller, { contactId, name: request.body.name })
    },
  })

  routes.delete('/:name', 'remove', {
    needs: 'contacts:write',
    summary: 'Take a tag off a contact',
    description: 'The name is URL-encoded, a slash in it too (`%2F`). Without the tag nothing changes.',
    params: { name: Type.String({ description: 'Name of the tag.', examples: ['VIP'] }) },
    answers: { 204: nothing() },
    handle: async (request) => {
      await untagContact(deps, request.caller, request.params)
    },
  })
}
