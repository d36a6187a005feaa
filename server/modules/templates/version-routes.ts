import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { restoreVersion, type TemplateDeps } from './manage-templates.ts'
import { COMPILE_DEADLINE_MS } from './preview-routes.ts'
import { readVersion, readVersions } from './read-templates.ts'
import { Template, TemplateVersion, VersionSummary } from './schemas.ts'

const tags = ['Templates']

/** What a template said before, by both doors. */
export function versionRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const base = `${door.base}/templates/:id/versions`
  const operation = (verb: string) => `${door.family}Templates_${verb}`
  const read = door.needs('templates:read')
  const params = closed({ ...door.params, id: Id, version: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('listVersions'),
        tags,
        summary: 'List the versions of a template',
        description:
          'Newest first. The newest hundred are kept for good, older ones for 400 days after they were replaced.',
        params: closed({ ...door.params, id: Id }),
        querystring: closed(pageParameters),
        response: { 200: pageOf(VersionSummary) },
      },
      config: read,
    },
    async (request) => {
      const { id } = request.params
      const { items, total } = await readVersions(deps.sql, request.caller.workspaceId, { id, ...request.query })
      return page(request.query, total, items)
    },
  )

  app.get(
    `${base}/:version`,
    {
      schema: {
        operationId: operation('getVersion'),
        tags,
        summary: 'Read a version of a template',
        description: 'What the template said while this version was in force. A version never changes.',
        params,
        response: { 200: TemplateVersion },
      },
      config: { ...read, etag: true },
    },
    async (request) => readVersion(deps.sql, request.caller.workspaceId, request.params),
  )

  app.post(
    `${base}/:version/restore`,
    {
      schema: {
        operationId: operation('restoreVersion'),
        tags,
        summary: 'Restore a version of a template',
        description: 'Puts the content of an earlier version in force again, as a new version. The name stays.',
        params,
        response: { 200: Template, ...problemResponses(412, 422) },
      },
      config: { ...door.needs('templates:write'), etag: true, deadlineMs: COMPILE_DEADLINE_MS },
    },
    async (request) => {
      const { id, version } = request.params
      return restoreVersion(deps, request.caller, { id, version, ifMatch: ifMatchOf(request) })
    },
  )
}
