import { Type } from 'typebox'
import { problemResponses } from '../../platform/http/answers.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { createSegment, deleteSegment, type SegmentDeps, updateSegment } from './manage-segments.ts'
import { PREVIEW_DEADLINE_MS, type PreviewDefinition } from './preview-segment.ts'
import { readSegment, readSegments } from './read-segments.ts'
import { Preview, PreviewBody, Segment, SegmentBody, SegmentChange } from './schemas.ts'

const tags = ['Segments']
const SEARCH_CHARS_MAX = 200
const DEFINITIONS =
  'The definition is the rule group of react-querybuilder as JSON text, kept to the character. One that is wrong is ' +
  'answered 422 with a pointer to each rule at fault, such as `/definition/rules/0/rules/2/value`.'

type RouteDeps = SegmentDeps & { preview: PreviewDefinition }

/** The operations that both surfaces offer alike. */
export function segmentRoutes(app: HttpApp, deps: RouteDeps, door: Door): void {
  const base = `${door.base}/segments`
  const operation = (verb: string) => `${door.family}Segments_${verb}`
  const read = door.needs('segments:read')
  const write = door.needs('segments:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List segments',
        description: 'Ascending by id. `totalItems` is exact.',
        querystring: closed({
          ...pageParameters,
          search: Type.Optional(
            Type.String({ maxLength: SEARCH_CHARS_MAX, description: 'Only segments whose name contains this text.' }),
          ),
        }),
        response: { 200: pageOf(Segment) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await readSegments(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Create a segment',
        description: `${DEFINITIONS} The name is unique in the workspace.`,
        body: SegmentBody,
        response: { 201: Segment, ...problemResponses(409, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await createSegment(deps, request.caller, request.body)),
  )

  app.post(
    `${base}/preview`,
    {
      schema: {
        operationId: operation('preview'),
        tags,
        summary: 'Preview a definition',
        description:
          'Counts the contacts that belong to a definition now, and shows ten of them; nothing is stored. Without a ' +
          'definition: everyone. One that takes longer than 5 s to look through is answered 422.',
        body: PreviewBody,
        response: { 200: Preview, ...problemResponses(422) },
      },
      config: { ...read, deadlineMs: PREVIEW_DEADLINE_MS },
    },
    async (request) => deps.preview(request.caller.workspaceId, request.body.definition ?? ''),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a segment',
        params,
        response: { 200: Segment },
      },
      config: { ...read, etag: true },
    },
    async (request) => readSegment(deps.sql, request.caller.workspaceId, request.params.id),
  )

  app.get(
    `${base}/:id/preview`,
    {
      schema: {
        operationId: operation('previewStored'),
        tags,
        summary: 'Preview a segment',
        description: 'Counts the contacts that belong to it now, and shows ten of them.',
        params,
        response: { 200: Preview, ...problemResponses(422) },
      },
      config: { ...read, deadlineMs: PREVIEW_DEADLINE_MS },
    },
    async (request) => {
      const { workspaceId } = request.caller
      const { definition } = await readSegment(deps.sql, workspaceId, request.params.id)
      return deps.preview(workspaceId, definition)
    },
  )

  app.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('update'),
        tags,
        summary: 'Change a segment',
        description: `Absent fields stay. ${DEFINITIONS}`,
        params,
        body: SegmentChange,
        response: { 200: Segment, ...problemResponses(409, 412, 422) },
      },
      config: { ...write, etag: true },
    },
    async (request) => {
      const { id } = request.params
      return updateSegment(deps, request.caller, { id, change: request.body, ifMatch: ifMatchOf(request) })
    },
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Delete a segment',
        description:
          'Not while another segment or a broadcast to come refers to it: that is answered 409 naming which.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(409, 412) },
      },
      config: write,
    },
    async (request, reply) => {
      await deleteSegment(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )
}
