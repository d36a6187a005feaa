import { Type } from 'typebox'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { overSignal } from '../../platform/http/over-signal.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { explainMembership } from './explain-membership.ts'
import { createSegment, deleteSegment, type SegmentDeps, updateSegment } from './manage-segments.ts'
import { PREVIEW_DEADLINE_MS, type PreviewDefinition } from './preview-segment.ts'
import { readSegment, readSegments } from './read-segments.ts'
import { Membership, Preview, PreviewBody, Segment, SegmentBody, SegmentChange } from './schemas.ts'

const SEARCH_CHARS_MAX = 200
const DEFINITIONS =
  'The definition is the rule group of react-querybuilder as JSON text, kept to the character. One that is wrong is ' +
  'answered 422 with a pointer to each rule at fault, such as `/definition/rules/0/rules/2/value`.'

type RouteDeps = SegmentDeps & { preview: PreviewDefinition }

/** The operations that both surfaces offer alike. */
export function segmentRoutes(app: HttpApp, deps: RouteDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/segments', family: 'Segments' })

  routes.get('', 'list', {
    needs: 'segments:read',
    summary: 'List segments',
    description: 'Ascending by id. `totalItems` is exact.',
    query: closed({
      ...pageParameters,
      search: Type.Optional(
        Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only segments whose name contains this text.' }),
      ),
    }),
    answers: { 200: pageOf(Segment) },
    handle: async (request) => {
      const { items, total } = await readSegments(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'segments:write',
    summary: 'Create a segment',
    description: `${DEFINITIONS} The name is unique in the workspace.`,
    body: SegmentBody,
    answers: { 201: Segment },
    problems: [409, 422],
    etag: true,
    handle: async (request) => createSegment(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'segments:read',
    summary: 'Read a segment',
    answers: { 200: Segment },
    etag: true,
    handle: async (request) => readSegment(deps.sql, request.caller.workspaceId, request.params.id),
  })

  routes.patch('/:id', 'update', {
    needs: 'segments:write',
    summary: 'Change a segment',
    description: `Absent fields stay. ${DEFINITIONS}`,
    body: SegmentChange,
    answers: { 200: Segment },
    problems: [409, 412, 422],
    etag: true,
    handle: async (request) => {
      const { id } = request.params
      return updateSegment(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  })

  routes.delete('/:id', 'delete', {
    needs: 'segments:write',
    summary: 'Delete a segment',
    description: 'Not while another segment or a broadcast to come refers to it: that is answered 409 naming which.',
    answers: { 204: nothing() },
    problems: [409, 412],
    handle: async (request) => {
      await deleteSegment(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })

  previewRoutes(app, deps, door)
}

/** How many contacts belong to a definition, and some of them. */
function previewRoutes(app: HttpApp, deps: RouteDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/segments', family: 'Segments' })

  routes.post('/preview', 'preview', {
    needs: 'segments:read',
    summary: 'Preview a definition',
    description:
      'Counts the contacts that belong to a definition now, and shows ten of them; nothing is stored. Without a ' +
      'definition: everyone. One that takes longer than 5 s to look through is answered 422.',
    body: PreviewBody,
    answers: { 200: Preview },
    problems: [422],
    deadlineMs: PREVIEW_DEADLINE_MS,
    handle: async (request, reply) =>
      deps.preview(request.caller.workspaceId, request.body.definition ?? '', overSignal(reply)),
  })

  routes.get('/:id/contacts/:contactId/explain', 'explainContact', {
    needs: 'segments:read',
    summary: 'Explain whether a contact belongs to a segment',
    description:
      'Rule by rule as things stand now: `pointer` leads to the rule in the definition. Groups join them as the ' +
      'definition says.',
    answers: { 200: Membership },
    problems: [422],
    deadlineMs: PREVIEW_DEADLINE_MS,
    handle: async (request) => explainMembership(deps.sql, request.caller.workspaceId, request.params),
  })

  routes.get('/:id/preview', 'previewStored', {
    needs: 'segments:read',
    summary: 'Preview a segment',
    description: 'Counts the contacts that belong to it now, and shows ten of them.',
    answers: { 200: Preview },
    problems: [422],
    deadlineMs: PREVIEW_DEADLINE_MS,
    handle: async (request, reply) => {
      const { workspaceId } = request.caller
      const over = overSignal(reply)
      const { definition } = await readSegment(deps.sql, workspaceId, request.params.id)
      return deps.preview(workspaceId, definition, over)
    },
  })
}
