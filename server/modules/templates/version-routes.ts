import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { restoreVersion, type TemplateDeps } from './manage-templates.ts'
import { readVersion, readVersions } from './read-templates.ts'
import { Template, TemplateVersion, VersionSummary } from './schemas.ts'
import { COMPILE_DEADLINE_MS } from './template-limits.ts'

const params = { version: Type.String({ ...Id, description: 'Number of a version.', examples: ['1'] }) }

/** Earlier versions of a template, by both doors. */
export function versionRoutes(app: HttpApp, deps: TemplateDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/templates/:id/versions', family: 'Templates' })

  routes.get('', 'listVersions', {
    needs: 'templates:read',
    summary: 'List the versions of a template',
    description:
      'Newest first. The newest hundred are kept for good, older ones for 400 days after they were replaced.',
    query: closed(pageParameters),
    answers: { 200: pageOf(VersionSummary) },
    handle: async (request) => {
      const { id } = request.params
      const { items, total } = await readVersions(deps.sql, request.caller.workspaceId, { id, ...request.query })
      return page(request.query, total, items)
    },
  })

  routes.get('/:version', 'getVersion', {
    needs: 'templates:read',
    summary: 'Read a version of a template',
    params,
    description: 'The content of the template while this version was in force. A version never changes.',
    answers: { 200: TemplateVersion },
    etag: true,
    handle: async (request) => readVersion(deps.sql, request.caller.workspaceId, request.params),
  })

  routes.post('/:version/restore', 'restoreVersion', {
    needs: 'templates:write',
    summary: 'Restore a version of a template',
    params,
    description: 'Puts the content of an earlier version in force again, as a new version. The name stays.',
    answers: { 200: Template },
    problems: [412, 422],
    etag: true,
    deadlineMs: COMPILE_DEADLINE_MS,
    handle: async (request) => {
      const { id, version } = request.params
      return restoreVersion(deps, request.caller, { id, version, ifMatch: ifMatchOf(request) })
    },
  })
}
