import type { HttpApp } from '../../platform/http/server.ts'
import { type Door, routesOf } from '../door.ts'
import type { ContactDeps } from './create-contact.ts'
import { ContactBatchBody, ContactBatchResults } from './schemas.ts'
import { upsertBatch } from './upsert-batch.ts'

/** Many contacts in one request, on both surfaces. */
export function batchRoutes(app: HttpApp, deps: ContactDeps, door: Door): void {
  routesOf(app, door, { family: 'Contacts' }).post('/contacts/batch', 'upsertBatch', {
    needs: 'contacts:write',
    summary: 'Create or complete contacts one by one',
    description:
      'For each of up to 1000 items: the contact with its subjectId, else its email, else its phone is completed, else ' +
      'one is created. Of an existing contact only blank core fields are filled; custom fields are merged by key, the ' +
      'new value wins and null removes its key. Items are done in their order, and a failed one does not hold up the ' +
      'others. To overwrite core fields, change the contact.',
    body: ContactBatchBody,
    answers: { 200: ContactBatchResults },
    handle: async (request) => ({ results: await upsertBatch(deps, request.caller, request.body.contacts) }),
  })
}
