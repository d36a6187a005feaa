import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Door, routesOf } from '../door.ts'
import { markElements } from './layout/mark-elements.ts'
import type { TemplateDeps } from './manage-templates.ts'
import { previewTemplate } from './preview-template.ts'
import { readTemplate, readVersion } from './read-templates.ts'
import { PreviewBody, StoredPreviewBody, TemplatePreview } from './schemas.ts'
import { COMPILE_DEADLINE_MS } from './template-limits.ts'

/** The first template after a while waits for the compiler to start. */
const AS_WHOM =
  'As the contact of `contactId`, which needs the scope contacts:read, else as the sample person Alex Sample, who has a ' +
  'value for each custom field of the workspace. Nothing is stored or sent; the unsubscribe link leads nowhere.'

/** Seeing a template as a person would get it, by both doors. */
export function previewRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/templates', family: 'Templates' })

  routes.post('/preview', 'preview', {
    needs: 'templates:read',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Preview a template that is being written',
    description: `Compiles and renders the content given. ${AS_WHOM}`,
    body: PreviewBody,
    answers: { 200: TemplatePreview },
    problems: [422],
    handle: async (request) => {
      const { subject = '', body, text = null, marks = false, ...person } = request.body
      const source = { subject, body: marks ? markElements(body) : body, text }
      return previewTemplate(deps, request.caller, { source, ...person })
    },
  })

  routes.post('/:id/preview', 'previewStored', {
    needs: 'templates:read',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Preview a template',
    description: `Renders the version in force, or the one named. ${AS_WHOM}`,
    body: StoredPreviewBody,
    answers: { 200: TemplatePreview },
    problems: [422],
    handle: async (request) => {
      const { workspaceId } = request.caller
      const { id } = request.params
      const { version, ...person } = request.body
      const source =
        version === undefined
          ? await readTemplate(deps.sql, workspaceId, id)
          : await readVersion(deps.sql, workspaceId, { id, version: String(version) })
      return previewTemplate(deps, request.caller, { source, ...person })
    },
  })
}
