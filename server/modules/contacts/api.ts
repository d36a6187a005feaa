import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { ifMatchOf } from '../../platform/http/etag.ts'
import { page, pageOf, pageParameters } from '../../platform/http/paging.ts'
import { closed, Id, problemResponses, Timestamp } from '../../platform/http/schemas.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { normaliseEmail } from './aliases.ts'
import { contactOf } from './contact-of.ts'
import { type ContactDeps, createContact } from './create-contact.ts'
import { type ContactRow, contactById, contactsPage, contactsTotal } from './queries.ts'
import { Contact, ContactBody } from './schemas.ts'
import { updateContact } from './update-contact.ts'

const tags = ['Contacts']
const contactParams = closed({ contactId: Id })
const text = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }))

export function contactsApi(app: HttpApp, deps: ContactDeps): void {
  app.get(
    '/api/contacts',
    {
      schema: {
        operationId: 'Contacts_list',
        tags,
        summary: 'List contacts',
        description: 'Ascending by id. `totalItems` is exact.',
        querystring: closed({
          ...pageParameters,
          email: text('Only the contact with this address.'),
          subjectId: text('Only the contact with this subjectId.'),
          phone: text('Only the contact with this phone number.'),
          updatedSince: Type.Optional(Timestamp),
        }),
        response: { 200: pageOf(Contact) },
      },
      config: { scope: 'contacts:read' },
    },
    async (request) => {
      const { workspaceId } = request.caller
      const { page: number, pageSize, email, ...rest } = request.query
      // An address that is none matches nobody, and says so by an empty list.
      const filter = { ...rest, ...(email === undefined ? {} : { email: normaliseEmail(email) ?? '' }) }
      const at = { page: number, pageSize }
      const [rows, totals] = await Promise.all([
        queryInScope<ContactRow>(deps.sql, workspaceId, contactsPage(workspaceId, filter, at)),
        queryInScope<{ total: string }>(deps.sql, workspaceId, contactsTotal(workspaceId, filter)),
      ])
      return page(at, Number(totals[0]?.total ?? 0), rows.map(contactOf))
    },
  )

  app.post(
    '/api/contacts',
    {
      schema: {
        operationId: 'Contacts_create',
        tags,
        summary: 'Create a contact',
        description: 'Needs at least one of subjectId, email, phone, each of them unique in the workspace.',
        body: ContactBody,
        response: { 201: Contact, ...problemResponses(409, 422) },
      },
      config: { scope: 'contacts:write', etag: true },
    },
    async (request, reply) => reply.code(201).send(contactOf(await createContact(deps, request.caller, request.body))),
  )

  app.get(
    '/api/contacts/:contactId',
    {
      schema: {
        operationId: 'Contacts_get',
        tags,
        summary: 'Read a contact',
        params: contactParams,
        response: { 200: Contact },
      },
      config: { scope: 'contacts:read', etag: true },
    },
    async (request) => {
      const { workspaceId } = request.caller
      const statement = contactById(workspaceId, request.params.contactId)
      const [row] = await queryInScope<ContactRow>(deps.sql, workspaceId, statement)
      if (!row) throw notFound()
      return contactOf(row)
    },
  )

  app.patch(
    '/api/contacts/:contactId',
    {
      schema: {
        operationId: 'Contacts_update',
        tags,
        summary: 'Change a contact',
        description: 'Absent fields stay, null clears. Custom fields are merged by key; a null value removes its key.',
        params: contactParams,
        body: ContactBody,
        response: { 200: Contact, ...problemResponses(409, 412, 422) },
      },
      config: { scope: 'contacts:write', etag: true },
    },
    async (request) => {
      const { contactId: id } = request.params
      const input = { id, body: request.body, ifMatch: ifMatchOf(request) }
      return contactOf(await updateContact(deps, request.caller, input))
    },
  )
}
