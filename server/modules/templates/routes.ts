import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { createTemplate, deleteTemplate, type TemplateDeps, updateTemplate } from './manage-templates.ts'
import { COMPILE_DEADLINE_MS, previewRoutes } from './preview-routes.ts'
import { readSamples } from './read-samples.ts'
import { readTemplate, readTemplates } from './read-templates.ts'
import { Template, TemplateBody, TemplateChange, TemplateSamples, TemplateSummary } from './schemas.ts'
import { versionRoutes } from './version-routes.ts'

const tags = ['Templates']
const SEARCH_CHARS_MAX = 200
const FAULTS =
  'A template that cannot be sent is answered 422, with a pointer to each field at fault and the line in it: ' +
  '`{"pointer":"/body","detail":"line 12: undefined filter: shout"}`.'

/** The operations that both surfaces offer alike. */
export function templateRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const base = `${door.base}/templates`
  const operation = (verb: string) => `${door.family}Templates_${verb}`
  const read = door.needs('templates:read')
  const write = { ...door.needs('templates:write'), deadlineMs: COMPILE_DEADLINE_MS }
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List templates',
        description: 'Ascending by id, without their bodies: read one to have its body. `totalItems` is exact.',
        querystring: closed({
          ...pageParameters,
          search: Type.Optional(
            Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only templates whose name contains this text.' }),
          ),
        }),
        response: { 200: pageOf(TemplateSummary) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await readTemplates(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a template',
        description:
          'The body is MJML with Liquid, or HTML with Liquid. Values are escaped in HTML unless they are piped through ' +
          `\`raw\`. ${FAULTS}`,
        body: TemplateBody,
        response: { 201: Template, ...problemResponses(422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createTemplate(deps, request.caller, request.body)),
  )

  app.get(
    `${base}/samples`,
    {
      schema: {
        operationId: operation('listSamples'),
        tags,
        summary: 'List sample templates',
        description: 'Templates to begin with: create one of your own from what you like.',
        params: closed(door.params),
        response: { 200: TemplateSamples },
      },
      config: read,
    },
    async () => ({ items: await readSamples() }),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a template',
        description: 'As it is in force.',
        params,
        response: { 200: Template },
      },
      config: { ...read, etag: true },
    },
    async (request) => readTemplate(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change a template',
        description:
          'Absent fields stay; a null `text` has the text part made from the body again. Another subject, body or text is ' +
          `a new version; messages that were accepted before keep theirs. ${FAULTS}`,
        params,
        body: TemplateChange,
        response: { 200: Template, ...problemResponses(412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const { id } = request.params
      return updateTemplate(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a template',
        description: 'Messages that were accepted with it still go out as they were meant.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteTemplate(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  versionRoutes(app, deps, door)
  previewRoutes(app, deps, door)
}
