import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { versionOf } from '../contacts/contact-of.ts'
import { Contact } from '../contacts/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import type { PersonalDataDeps } from './deps.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'
import { listMerges } from './list-merges.ts'
import { mergeContacts } from './merge-contacts.ts'
import { Merge, MergeBody, PersonalData } from './schemas.ts'

/** Operations that the law and a clean address book ask of contacts, on both surfaces. */
export function personalDataRoutes(app: HttpApp, deps: PersonalDataDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts/:contactId', family: 'Contacts' })

  routes.delete('', 'erase', {
    needs: 'contacts:erase',
    summary: 'Erase a person',
    description:
      'Removes the contact at once and everything else that tells of the person within the next minutes: events, ' +
      'webhook deliveries, jobs, files, recorded answers. Opt-outs and anonymous totals stay. Emits `contact.erased`. ' +
      'It cannot be undone.',
    answers: { 204: nothing('Erased.') },
    problems: [412],
    handle: async (request) => {
      await erasePerson(deps, request.caller, { id: request.params.contactId, ifMatch: ifMatchOf(request) })
    },
  })

  routes.post('/merge', 'merge', {
    needs: 'contacts:write',
    summary: 'Merge a contact into this one',
    description:
      'This contact keeps what it has and fills its blanks from the other; tags, places in automations and events move over. ' +
      'The other is no more: its id answers 404. Aliases that this contact did not take over are free again. Emits ' +
      '`contact.merged`. Long histories arrive within minutes.',
    body: MergeBody,
    answers: { 200: Contact },
    problems: [412, 422],
    etag: versionOf,
    handle: async (request) =>
      mergeContacts(deps, request.caller, {
        id: request.params.contactId,
        otherId: request.body.contactId,
        ifMatch: ifMatchOf(request),
      }),
  })

  routes.get('/merges', 'listMerges', {
    needs: 'contacts:read',
    summary: 'List what was merged into a contact',
    description: 'Ascending by id, those included that came with a contact merged later.',
    query: closed(pageParameters),
    answers: { 200: pageOf(Merge) },
    handle: async (request) =>
      listMerges(deps.sql, request.caller.workspaceId, { ...request.query, contactId: request.params.contactId }),
  })

  routes.get('/export', 'exportData', {
    needs: 'contacts:read',
    summary: "Export a person's data",
    description:
      'Everything that is known of the person in one document, as the person may ask for it. It holds up to 1,000 ' +
      'events, `nextCursor` leads to the next ones. Needs the scope `events:read` as well. Recorded in the audit log.',
    query: closed({
      cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the document before.' })),
    }),
    answers: { 200: PersonalData },
    handle: async (request, reply) => {
      const input = { id: request.params.contactId, cursor: request.query.cursor }
      const document = await exportPerson(deps, request.caller, input)
      return reply
        .header('content-disposition', `attachment; filename="contact-${document.contact.id}.json"`)
        .send(document)
    },
  })
}
