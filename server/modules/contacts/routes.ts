import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { versionOf } from './contact-of.ts'
import { type ContactDeps, createContact } from './create-contact.ts'
import { type ListDeps, listContacts } from './list-contacts.ts'
import { readContact } from './read-contact.ts'
import { CONTACT_SORTS, Contact, ContactBody, ContactChange, contactFilters } from './schemas.ts'
import { updateContact } from './update-contact.ts'

export function contactRoutes(app: HttpApp, deps: ContactDeps & ListDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts', family: 'Contacts' })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List contacts',
    description:
      '`totalItems` is exact, and of the same moment as the page. Several filters narrow each ' +
      'other. A tag or an address that nobody has is an empty list; a segment that is not there is a 422, and so is what cannot be counted in 1.5 s.',
    query: closed({
      ...pageParameters,
      sort: Type.Optional(
        oneOf(CONTACT_SORTS, {
          description: 'Ascending by id when absent; `-id`: newest first. By email those without one come last.',
        }),
      ),
      ...contactFilters,
    }),
    answers: { 200: pageOf(Contact) },
    problems: [422],
    handle: async (request) => {
      const { items, total } = await listContacts(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Create a contact',
    description:
      'Needs at least one of subjectId, email, phone, each of them unique in the workspace. A custom field that ' +
      'nobody declared is taken as it is; one of a declared type must fit it, or is refused with a 422.',
    body: ContactBody,
    answers: { 201: Contact },
    problems: [409, 422],
    etag: versionOf,
    handle: async (request) => createContact(deps, request.caller, request.body),
  })

  routes.get('/:contactId', 'get', {
    needs: 'contacts:read',
    summary: 'Read a contact',
    description: 'With its entity tag, for `If-Match` on a change.',
    answers: { 200: Contact },
    etag: versionOf,
    handle: async (request) => readContact(deps.sql, request.caller.workspaceId, request.params.contactId),
  })

  routes.patch('/:contactId', 'update', {
    needs: 'contacts:write',
    summary: 'Change a contact',
    description: 'Absent fields stay, null clears. Custom fields are merged by key; a null value removes its key.',
    body: ContactChange,
    answers: { 200: Contact },
    problems: [409, 412, 422],
    etag: versionOf,
    handle: async (request) => {
      const { contactId: id } = request.params
      const input = { id, body: request.body, ifMatch: ifMatchOf(request) }
      return updateContact(deps, request.caller, input)
    },
  })
}
