import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { REVISION_DAYS } from './definition/forget-revisions.ts'
import { COMPILE_DEADLINE_MS } from './definition/limits.ts'
import type { DefinitionDeps } from './definition/manage-automations.ts'
import { REVISIONS_MAX } from './definition/note-revision.ts'
import { readRevision, readRevisions, restoreRevision } from './definition/revisions.ts'
import { Automation, Revision, RevisionSummary } from './schemas.ts'

const params = { revision: Type.String({ ...Id, description: 'Number of a revision.', examples: ['1'] }) }

/** Earlier states of a draft, by both doors. */
export function revisionRoutes(app: HttpApp, deps: DefinitionDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/automations/:id/revisions', family: 'Automations' })

  routes.get('', 'listRevisions', {
    needs: 'automations:read',
    summary: 'List the revisions of a draft',
    description:
      'Newest first: whatever one author saved within ten minutes is one. ' +
      `The newest ${REVISIONS_MAX} are kept, for ${REVISION_DAYS} days, and the newest of all for good.`,
    query: closed(pageParameters),
    answers: { 200: pageOf(RevisionSummary) },
    handle: async (request) => {
      const key = { workspaceId: request.caller.workspaceId, id: request.params.id }
      const { items, total } = await readRevisions(deps.sql, key, request.query)
      return page(request.query, total, items)
    },
  })

  routes.get('/:revision', 'getRevision', {
    needs: 'automations:read',
    summary: 'Read a revision of a draft',
    description: 'With what is other in the draft of now.',
    params,
    answers: { 200: Revision },
    handle: async (request) => {
      const { id, revision } = request.params
      return readRevision(deps.sql, { workspaceId: request.caller.workspaceId, id }, revision)
    },
  })

  routes.post('/:revision/restore', 'restoreRevision', {
    needs: 'automations:write',
    deadlineMs: COMPILE_DEADLINE_MS,
    summary: 'Restore a revision of a draft',
    description: 'Makes it the draft again, as a new revision; the name stays, and so does what is in force.',
    params,
    answers: { 200: Automation },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id, revision } = request.params
      return restoreRevision(deps, request.caller, { id, revision, ifMatch: ifMatchOf(request) })
    },
  })
}
