import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { versionOf } from './contact-of.ts'
import type { ContactDeps } from './create-contact.ts'
import { Contact, ContactBatchBody, ContactBatchResults, ContactBody, UPSERT_MODES } from './schemas.ts'
import { upsertBatch } from './upsert-batch.ts'
import { upsertContact } from './upsert-contact.ts'

/** Contacts that are perhaps there already, one or many in a request, on both surfaces. */
export function upsertRoutes(app: HttpApp, deps: ContactDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts', family: 'Contacts' })

  routes.put('', 'upsert', {
    needs: 'contacts:write',
    summary: 'Create a contact, or change the one that is there',
    description:
      'The contact with the subjectId of the body, else with its email, else with its phone is changed, else one is ' +
      'created. Fields that are stated replace what the contact has and null clears one; with `mode=fill` they fill ' +
      'blanks alone. Absent fields stay, custom fields are merged by key. The same again changes nothing.',
    query: closed({ mode: Type.Optional(oneOf(UPSERT_MODES, { description: 'overwrite when absent.' })) }),
    body: ContactBody,
    answers: { 200: Contact },
    problems: [409, 422],
    etag: versionOf,
    handle: async ({ caller, query, body }) => upsertContact(deps, caller, { body, mode: query.mode ?? 'overwrite' }),
  })

  routes.post('/batch', 'upsertBatch', {
    needs: 'contacts:write',
    summary: 'Create or complete contacts one by one',
    description:
      'For each of up to 1000 items: the contact with its subjectId, else its email, else its phone is completed, else ' +
      'one is created. Of an existing contact only blank core fields are filled, or with `mode` overwrite those that the ' +
      'item states replaced; custom fields are merged by key, the new value wins and null removes its key. Items are ' +
      'done in their order, and a failed one does not hold up the others.',
    body: ContactBatchBody,
    answers: { 200: ContactBatchResults },
    handle: async (request) => ({ results: await upsertBatch(deps, request.caller, request.body) }),
  })
}
