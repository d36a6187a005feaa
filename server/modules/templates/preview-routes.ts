import { problemResponses } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import type { TemplateDeps } from './manage-templates.ts'
import { previewTemplate } from './preview-template.ts'
import { readTemplate, readVersion } from './read-templates.ts'
import { PreviewBody, StoredPreviewBody, TemplatePreview } from './schemas.ts'

const tags = ['Templates']
/** The first template after a while waits for the compiler to start. */
export const COMPILE_DEADLINE_MS = 10_000
const AS_WHOM =
  'As the contact of `contactId`, which needs the scope contacts:read, else as the sample person Alex Sample, who has a ' +
  'value for each custom field of the workspace. Nothing is stored or sent; the unsubscribe link leads nowhere.'

/** Seeing a template as a person would get it, by both doors. */
export function previewRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const base = `${door.base}/templates`
  const operation = (verb: string) => `${door.family}Templates_${verb}`
  const config = { ...door.needs('templates:read'), deadlineMs: COMPILE_DEADLINE_MS }

  app.post(
    `${base}/preview`,
    {
      schema: {
        operationId: operation('preview'),
        tags,
        summary: 'Preview a template that is being written',
        description: `Compiles and renders the content given. ${AS_WHOM}`,
        params: closed(door.params),
        body: PreviewBody,
        response: { 200: TemplatePreview, ...problemResponses(422) },
      },
      config,
    },
    async (request) => {
      const { subject = '', body, text = null, ...person } = request.body
      return previewTemplate(deps, request.caller, { source: { subject, body, text }, ...person })
    },
  )

  app.post(
    `${base}/:id/preview`,
    {
      schema: {
        operationId: operation('previewStored'),
        tags,
        summary: 'Preview a template',
        description: `Renders the version in force, or the one named. ${AS_WHOM}`,
        params: closed({ ...door.params, id: Id }),
        body: StoredPreviewBody,
        response: { 200: TemplatePreview, ...problemResponses(422) },
      },
      config,
    },
    async (request) => {
      const { workspaceId } = request.caller
      const { id } = request.params
      const { version, ...person } = request.body
      const source =
        version === undefined
          ? await readTemplate(deps.sql, workspaceId, id)
          : await readVersion(deps.sql, workspaceId, { id, version: String(version) })
      return previewTemplate(deps, request.caller, { source, ...person })
    },
  )
}
