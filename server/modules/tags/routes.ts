import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { PageQuery, page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { createTag, deleteTag, renameTag, type TagDeps } from './manage-tags.ts'
import { countTagged, listContactTags, listTags, readTag } from './read-tags.ts'
import { CountedTag, Tag, TagBody, TagChange, TagCount, tagFilters } from './schemas.ts'
import { tagContact, untagContact } from './tag-contact.ts'

const tags = ['Tags']
const nothing = Type.Null({ description: 'Done.' })

/** The tags of a workspace. The dashboard's list shows how many contacts have each. */
export function tagRoutes(app: HttpApp, deps: TagDeps, door: Door): void {
  const base = `${door.base}/tags`
  const operation = (verb: string) => `${door.family}Tags_${verb}`
  const read = door.needs('contacts:read')
  const write = door.needs('contacts:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List tags',
        description: 'By name, capital letters before small ones. `totalItems` is exact.',
        querystring: closed({ ...pageParameters, ...tagFilters }),
        response: { 200: pageOf(door.family === 'Site' ? CountedTag : Tag) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await listTags(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a tag',
        description:
          'One that no contact has yet. Giving a contact a tag that is not there creates it too. `VIP` and `vip` are one ' +
          'tag, spelled as it was first.',
        body: TagBody,
        response: { 201: Tag, ...problemResponses(409) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createTag(deps, request.caller, request.body.name)),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a tag',
        description: 'With its entity tag, for `If-Match` on a change.',
        params,
        response: { 200: Tag },
      },
      config: { ...read, etag: true },
    },
    async (request) => readTag(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.get(
    `${base}/:id/count`,
    {
      schema: {
        operationId: operation('count'),
        tags,
        summary: 'Count the contacts of a tag',
        description: 'Exact, and at no cost that grows with their number.',
        params,
        response: { 200: TagCount },
      },
      config: read,
    },
    async (request) => countTagged(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Rename a tag',
        description: 'Its contacts keep it.',
        params,
        body: TagChange,
        response: { 200: Tag, ...problemResponses(409, 412) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const input = { id: request.params.id, name: request.body.name, ifMatch: ifMatchOf(request) }
      return renameTag(deps, request.caller, input)
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a tag',
        description:
          'Gone at once from every list; in the background each of its contacts gets its `contact.untagged` event.',
        params,
        response: { 204: nothing, ...problemResponses(412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteTag(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )
}

/** The tags of one contact. */
export function contactTagRoutes(app: HttpApp, deps: TagDeps, door: Door): void {
  const base = `${door.base}/contacts/:contactId/tags`
  const operation = (verb: string) => `${door.family}ContactTags_${verb}`
  const params = { ...door.params, contactId: Id }

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List the tags of a contact',
        description: 'By name, capital letters before small ones.',
        params: closed(params),
        querystring: PageQuery,
        response: { 200: pageOf(Tag) },
      },
      config: door.needs('contacts:read'),
    },
    async (request) => {
      const query = { ...request.query, contactId: request.params.contactId }
      const { items, total } = await listContactTags(deps.sql, request.caller.workspaceId, query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('apply'),
        tags,
        summary: 'Give a contact a tag',
        description: 'By its name; a tag that is not there is created. The same again changes nothing.',
        params: closed(params),
        body: TagBody,
        response: { 200: Tag },
      },
      config: door.needs('contacts:write'),
    },
    async (request) => {
      const { contactId } = request.params
      return tagContact(deps, request.caller, { contactId, name: request.body.name })
    },
  )

  app.delete(
    `${base}/:name`,
    {
      schema: {
        operationId: operation('remove'),
        tags,
        summary: 'Take a tag off a contact',
        description: 'The name is URL-encoded, a slash in it too (`%2F`). Without the tag nothing changes.',
        params: closed({ ...params, name: Type.String({ description: 'Name of the tag.', examples: ['VIP'] }) }),
        response: { 204: nothing },
      },
      config: door.needs('contacts:write'),
    },
    async (request, reply) => {
      await untagContact(deps, request.caller, request.params)
      return reply.code(204).send(null)
    },
  )
}
