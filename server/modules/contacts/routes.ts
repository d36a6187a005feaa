import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { contactOf } from './contact-of.ts'
import { type ContactDeps, createContact } from './create-contact.ts'
import { type ListDeps, listContacts } from './list-contacts.ts'
import { readContact } from './read-contact.ts'
import { Contact, ContactBody, contactFilters } from './schemas.ts'
import { updateContact } from './update-contact.ts'

const tags = ['Contacts']

export function contactRoutes(app: HttpApp, deps: ContactDeps & ListDeps, door: Door): void {
  const base = `${door.base}/contacts`
  const operation = (verb: string) => `${door.family}Contacts_${verb}`
  const read = door.needs('contacts:read')
  const write = door.needs('contacts:write')
  const params = closed({ ...door.params, contactId: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List contacts',
        description:
          'Ascending by id. `totalItems` is exact, and of the same moment as the page. Several filters narrow each ' +
          'other. A tag or an address that nobody has is an empty list; a segment that is not there is a 422, and so is what cannot be counted in 1.5 s.',
        querystring: closed({ ...pageParameters, ...contactFilters }),
        response: { 200: pageOf(Contact), ...problemResponses(422) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await listContacts(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a contact',
        description:
          'Needs at least one of subjectId, email, phone, each of them unique in the workspace. A custom field that ' +
          'nobody declared is taken as it is; one of a declared type must fit it, or is refused with a 422.',
        body: ContactBody,
        response: { 201: Contact, ...problemResponses(409, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(contactOf(await createContact(deps, request.caller, request.body))),
  )

  app.get(
    `${base}/:contactId`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a contact',
        description: 'With its entity tag, for `If-Match` on a change.',
        params,
        response: { 200: Contact },
      },
      config: { ...read, etag: true },
    },
    async (request) => readContact(deps.sql, request.caller.workspaceId, request.params.contactId),
  )

  app.patch(
    `${base}/:contactId`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change a contact',
        description: 'Absent fields stay, null clears. Custom fields are merged by key; a null value removes its key.',
        params,
        body: ContactBody,
        response: { 200: Contact, ...problemResponses(409, 412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const { contactId: id } = request.params
      const input = { id, body: request.body, ifMatch: ifMatchOf(request) }
      return contactOf(await updateContact(deps, request.caller, input))
    },
  )
}
