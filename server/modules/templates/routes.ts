import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { createTemplate, deleteTemplate, type TemplateDeps, updateTemplate } from './manage-templates.ts'
import { previewRoutes } from './preview-routes.ts'
import { readSamples } from './read-samples.ts'
import { readTemplate, readTemplates } from './read-templates.ts'
import { Template, TemplateBody, TemplateChange, TemplateSamples, TemplateSummary } from './schemas.ts'
import { COMPILE_DEADLINE_MS } from './template-limits.ts'
import { versionRoutes } from './version-routes.ts'

const SEARCH_CHARS_MAX = 200
const FAULTS =
  'A template that cannot be sent is answered 422, with a pointer to each field at fault and the line in it: ' +
  '`{"pointer":"/body","detail":"line 12: undefined filter: shout"}`.'

/** The operations that both surfaces offer alike. */
export function templateRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/templates', family: 'Templates' })

  routes.get('', 'list', {
    needs: 'templates:read',
    summary: 'List templates',
    description: 'Ascending by id, without their bodies: read one to have its body. `totalItems` is exact.',
    query: closed({
      ...pageParameters,
      search: Type.Optional(
        Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only templates whose name contains this text.' }),
      ),
    }),
    answers: { 200: pageOf(TemplateSummary) },
    handle: async (request) => {
      const { items, total } = await readTemplates(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'templates:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Create a template',
    description:
      'The body is MJML with Liquid, or HTML with Liquid. Values are escaped in HTML unless they are piped through ' +
      `\`raw\`. ${FAULTS}`,
    body: TemplateBody,
    answers: { 201: Template },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createTemplate(deps, request.caller, request.body),
  })

  routes.get('/samples', 'listSamples', {
    needs: 'templates:read',
    summary: 'List sample templates',
    description:
      'Templates to begin with, under the name of the workspace and in its colour: create one of your own from what you like.',
    answers: { 200: TemplateSamples },
    handle: async (request) => ({ items: await readSamples(deps.sql, request.caller.workspaceId) }),
  })

  routes.get('/:id', 'get', {
    needs: 'templates:read',
    summary: 'Read a template',
    description: 'As it is in force.',
    answers: { 200: Template },
    etag: true,
    handle: async (request) => readTemplate(deps.sql, request.caller.workspaceId, request.params.id),
  })

  versionRoutes(app, deps, door)
  previewRoutes(app, deps, door)

  changeRoutes(app, deps, door)
}

/** Changes of a template. */
function changeRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/templates', family: 'Templates' })

  routes.patch('/:id', 'update', {
    needs: 'templates:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Change a template',
    description:
      'Absent fields stay; a null `text` has the text part made from the body again. Another subject, body or text is ' +
      `a new version; messages that were accepted before keep theirs. ${FAULTS}`,
    body: TemplateChange,
    answers: { 200: Template },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id } = request.params
      return updateTemplate(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'templates:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Delete a template',
    description: 'Messages that were accepted with it still go out as they were meant.',
    answers: { 204: nothing() },
    problems: [412],
    handle: async (request) => {
      await deleteTemplate(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })
}
