import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { Contact } from '../contacts/schemas.ts'
import type { PersonalDataDeps } from './deps.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'
import { listMerges } from './list-merges.ts'
import { mergeContacts } from './merge-contacts.ts'
import { Merge, MergeBody, PersonalData } from './schemas.ts'

const tags = ['Contacts']

/** Operations that the law and a clean address book ask of contacts, on both surfaces. */
export function personalDataRoutes(app: HttpApp, deps: PersonalDataDeps, door: Door): void {
  const contact = `${door.base}/contacts/:contactId`
  const operation = (verb: string) => `${door.family}Contacts_${verb}`
  const params = closed({ ...door.params, contactId: Id })

  app.delete(
    contact,
    {
      schema: {
        operationId: operation('erase'),
        tags,
        summary: 'Erase a person',
        description:
          'Removes the contact at once and everything else that tells of the person within the next minutes: events, ' +
          'webhook deliveries, jobs, files, recorded answers. Opt-outs and anonymous totals stay. Emits `contact.erased`. ' +
          'It cannot be undone.',
        params,
        response: { 204: Type.Null({ description: 'Erased.' }), ...problemResponses(412) },
      },
      config: door.needs('contacts:erase'),
    },
    async (request, reply) => {
      await erasePerson(deps, request.caller, { id: request.params.contactId, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${contact}/merge`,
    {
      schema: {
        operationId: operation('merge'),
        tags,
        summary: 'Merge a contact into this one',
        description:
          'This contact keeps what it has and fills its blanks from the other; tags, enrollments and events move over. ' +
          'The other is no more: its id answers 404. Aliases that this contact did not take over are free again. Emits ' +
          '`contact.merged`. Long histories arrive within minutes.',
        params,
        body: MergeBody,
        response: { 200: Contact, ...problemResponses(412, 422) },
      },
      config: { ...door.needs('contacts:write'), etag: true },
    },
    async (request) =>
      mergeContacts(deps, request.caller, {
        id: request.params.contactId,
        otherId: request.body.contactId,
        ifMatch: ifMatchOf(request),
      }),
  )

  app.get(
    `${contact}/merges`,
    {
      schema: {
        operationId: operation('listMerges'),
        tags,
        summary: 'List what was merged into a contact',
        description: 'Ascending by id, those included that came with a contact merged later.',
        params,
        querystring: closed(pageParameters),
        response: { 200: pageOf(Merge) },
      },
      config: door.needs('contacts:read'),
    },
    async (request) =>
      listMerges(deps.sql, request.caller.workspaceId, { ...request.query, contactId: request.params.contactId }),
  )

  app.get(
    `${contact}/export`,
    {
      schema: {
        operationId: operation('exportData'),
        tags,
        summary: "Export a person's data",
        description:
          'Everything that is known of the person in one document, as the person may ask for it. It holds up to 1,000 ' +
          'events, `nextCursor` leads to the next ones. Needs the scope `events:read` as well. Recorded in the audit log.',
        params,
        querystring: closed({
          cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of the document before.' })),
        }),
        response: { 200: PersonalData },
      },
      config: door.needs('contacts:read'),
    },
    async (request, reply) => {
      const input = { id: request.params.contactId, cursor: request.query.cursor }
      const document = await exportPerson(deps, request.caller, input)
      return reply
        .header('content-disposition', `attachment; filename="contact-${document.contact.id}.json"`)
        .send(document)
    },
  )
}
