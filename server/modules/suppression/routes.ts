import { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'
import { csvAnswer, problemResponses } from '../../platform/http/answers.ts'
import { receiveUpload } from '../../platform/http/receive-upload.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id, oneOf } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { exportSuppressions } from './export-suppressions.ts'
import { importSuppressions } from './import-suppressions.ts'
import {
  liftSuppression,
  listSuppressions,
  readSuppression,
  type SuppressionDeps,
  suppress,
} from './manage-suppressions.ts'
import {
  SUPPRESSION_REASONS,
  Suppression,
  SuppressionBody,
  SuppressionImport,
  SuppressionImportBody,
  suppressionFilters,
} from './schemas.ts'

const tags = ['Suppressions']
/** For a file of some millions of addresses to arrive, or to leave. */
const FILE_DEADLINE_MS = 1_800_000

export function suppressionRoutes(app: HttpApp, deps: SuppressionDeps, door: Door): void {
  const base = `${door.base}/suppressions`
  const operation = (verb: string) => `${door.family}Suppressions_${verb}`
  const read = door.needs('suppressions:read')
  const write = door.needs('suppressions:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List suppressed addresses',
        description: 'Addresses that are mailed nothing. Ascending by id. Several filters narrow each other.',
        querystring: closed({ ...pageParameters, ...suppressionFilters }),
        response: { 200: pageOf(Suppression) },
      },
      config: read,
    },
    async (request) => {
      const { items, total } = await listSuppressions(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  )

  app.post(
    base,
    {
      schema: {
        operationId: operation('create'),
        tags,
        summary: 'Suppress an address',
        description:
          'From then on it is mailed nothing, messages that already wait included. An address that is on the list stays ' +
          'as it is and is the answer.',
        body: SuppressionBody,
        response: { 201: Suppression },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => reply.code(201).send(await suppress(deps, request.caller, request.body)),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read a suppression',
        description: 'With what the receiver said and the message it was about, where that is known.',
        params,
        response: { 200: Suppression },
      },
      config: { ...read, etag: true },
    },
    async (request) => readSuppression(deps, request.caller.workspaceId, request.params.id),
  )

  app.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('delete'),
        tags,
        summary: 'Lift a suppression',
        description: 'The address is mailed again. It is suppressed anew when it bounces or complains again.',
        params,
        response: { 204: Type.Null({ description: 'Done.' }), ...problemResponses(412) },
      },
      config: { ...write, etag: true },
    },
    async (request, reply) => {
      await liftSuppression(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
      return reply.code(204).send(null)
    },
  )

  app.get(
    `${base}/export`,
    {
      schema: {
        operationId: operation('export'),
        tags,
        summary: 'Download the suppressed addresses',
        description:
          'The whole list as CSV with the columns `email`, `reason`, `detail`, `createdAt`; the import takes it as it is. ' +
          'Each download stands in the audit log.',
        ...(door.params.slug ? { params: closed(door.params) } : {}),
        response: { 200: csvAnswer('The list.') },
      },
      config: { ...read, deadlineMs: FILE_DEADLINE_MS },
    },
    async (request, reply) => {
      const file = await exportSuppressions(deps, request.caller)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="suppressions.csv"')
        .send(file as never)
    },
  )

  importRoute(app, deps, door)
}

const NOT_JSON = /^(?!application\/([^;]+\+)?json\b)/i

/** Either of two media types: JSON that is validated, or CSV that is read while it arrives, whatever its size. */
const importBody = {
  content: {
    'application/json': { schema: SuppressionImportBody },
    'text/csv': { schema: Type.Unsafe<Readable>({ description: 'The file. UTF-8, UTF-16 or Windows-1252.' }) },
  },
} as unknown as TSchema

function importRoute(app: HttpApp, deps: SuppressionDeps, door: Door): void {
  app.register(async (routes) => {
    // Others are let through unread, so that the refusal can name the types that are taken.
    routes.addContentTypeParser(NOT_JSON, (_request, payload, taken) => taken(null, payload))
    ;(routes as HttpApp).post(
      `${door.base}/suppressions/import`,
      {
        schema: {
          operationId: `${door.family}Suppressions_import`,
          tags,
          summary: 'Suppress the addresses of a CSV file',
          description:
            'Up to 128 MiB as it is (`text/csv`, also with `Content-Encoding: gzip`), or a small file in JSON: a bare list ' +
            'of addresses, or a table with a column `email` and, if it has them, `reason` and `detail`; the suppression ' +
            'lists of other services are taken as they are. Rows that do not fit fail by themselves. The same file again ' +
            'changes nothing.',
          ...(door.params.slug ? { params: closed(door.params) } : {}),
          querystring: closed({
            reason: Type.Optional(
              oneOf(SUPPRESSION_REASONS, { description: 'Why, for rows that do not say it. manual without it.' }),
            ),
          }),
          body: importBody,
          response: { 200: SuppressionImport, ...problemResponses(413) },
        },
        config: { ...door.needs('suppressions:write'), deadlineMs: FILE_DEADLINE_MS },
      },
      async (request) => {
        const body = request.body as Readable | Static<typeof SuppressionImportBody>
        const content =
          body instanceof Readable
            ? receiveUpload(body, request.headers['content-encoding'])
            : Readable.from([Buffer.from(body.csv)])
        return importSuppressions(deps, request.caller, { content, reason: request.query.reason ?? 'manual' })
      },
    )
  })
}
