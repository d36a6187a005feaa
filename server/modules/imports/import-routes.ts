import { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'
import { csvAnswer, problemResponses } from '../../platform/http/answers.ts'
import { receiveUpload } from '../../platform/http/receive-upload.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, Id } from '../../platform/schema/schemas.ts'
import type { Door } from '../auth/door.ts'
import { createImport } from './create-import.ts'
import { cancelImport } from './end-import.ts'
import type { ImportDeps } from './import-deps.ts'
import { errorsFile, importOf, readErrors, readImport, readImports } from './read-imports.ts'
import { Import, ImportError, ImportJsonBody, StartBody } from './schemas.ts'
import { startImport } from './start-import.ts'

const tags = ['Imports']
/** For 256 MiB to arrive and be stored. */
const UPLOAD_DEADLINE_MS = 1_800_000
export const DOWNLOAD_DEADLINE_MS = 1_800_000

const NOT_JSON = /^(?!application\/([^;]+\+)?json\b)/i

/** A body in either of two media types: JSON that is validated, or CSV that the handler reads while it arrives. */
const uploadBody = {
  content: {
    'application/json': { schema: ImportJsonBody },
    'text/csv': { schema: Type.Unsafe<Readable>({ description: 'The file. UTF-8, UTF-16 or Windows-1252.' }) },
  },
} as unknown as TSchema

/** Declares the upload; the only route that takes CSV. */
export function uploadRoute(app: HttpApp, deps: ImportDeps, door: Door): void {
  app.register(async (routes) => {
    // Others are let through unread, so that the refusal can name the types that are taken.
    routes.addContentTypeParser(NOT_JSON, (_request, payload, taken) => taken(null, payload))
    ;(routes as HttpApp).post(
      `${door.base}/contacts/imports`,
      {
        schema: {
          operationId: `${door.family}Imports_create`,
          tags,
          summary: 'Upload contacts as CSV',
          description:
            'Takes a file of up to 256 MiB as it is (`text/csv`, also with `Content-Encoding: gzip`), or a small one in ' +
            'JSON. Its encoding, delimiter and columns are found out and a mapping is suggested; the exports of Mailchimp ' +
            'and listmonk need no other. Nothing is imported until it is started.',
          querystring: closed({
            start: Type.Boolean({ default: false, description: 'Start at once, by the suggested mapping.' }),
            fileName: Type.Optional(Type.String({ maxLength: 200, description: 'What the file is called.' })),
          }),
          body: uploadBody,
          response: { 201: Import, ...problemResponses(413, 422) },
        },
        config: { ...door.needs('contacts:write'), deadlineMs: UPLOAD_DEADLINE_MS, etag: true },
      },
      async (request, reply) => {
        const { start, fileName } = request.query
        const body = request.body as Readable | Static<typeof ImportJsonBody>
        const upload =
          body instanceof Readable
            ? { content: receiveUpload(body, request.headers['content-encoding']), fileName: fileName ?? null }
            : { content: Readable.from([Buffer.from(body.csv)]), fileName: body.fileName ?? fileName ?? null }
        return reply.code(201).send(importOf(await createImport(deps, request.caller, { ...upload, start })))
      },
    )
  })
}

/** The operations on imports that both surfaces offer. */
export function importRoutes(app: HttpApp, deps: ImportDeps, door: Door): void {
  const base = `${door.base}/contacts/imports`
  const operation = (verb: string) => `${door.family}Imports_${verb}`
  const read = door.needs('contacts:read')
  const write = door.needs('contacts:write')
  const params = closed({ ...door.params, id: Id })

  app.get(
    base,
    {
      schema: {
        operationId: operation('list'),
        tags,
        summary: 'List imports',
        description: 'Ascending by id.',
        querystring: closed(pageParameters),
        response: { 200: pageOf(Import) },
      },
      config: read,
    },
    async (request) => readImports(deps.sql, request.caller.workspaceId, request.query),
  )

  app.get(
    `${base}/:id`,
    {
      schema: {
        operationId: operation('get'),
        tags,
        summary: 'Read an import',
        description: 'With its progress.',
        params,
        response: { 200: Import },
      },
      config: { ...read, etag: true },
    },
    async (request) => importOf(await readImport(deps.sql, request.caller.workspaceId, request.params.id)),
  )

  app.post(
    `${base}/:id/start`,
    {
      schema: {
        operationId: operation('start'),
        tags,
        summary: 'Start an import',
        description:
          'In the background. Rows find their contacts and complete them as items of a batch do. A row that does not fit ' +
          'fails by itself.',
        params,
        body: StartBody,
        response: { 202: Import, ...problemResponses(422) },
      },
      config: write,
    },
    async (request, reply) => {
      const input = { id: request.params.id, body: request.body }
      return reply.code(202).send(importOf(await startImport(deps, request.caller, input)))
    },
  )

  app.post(
    `${base}/:id/cancel`,
    {
      schema: {
        operationId: operation('cancel'),
        tags,
        summary: 'Cancel an import',
        description: 'What is imported stays, the rest of the file is dropped.',
        params,
        response: { 200: Import, ...problemResponses(422) },
      },
      config: write,
    },
    async (request) => importOf(await cancelImport(deps, request.caller, request.params.id)),
  )

  app.get(
    `${base}/:id/errors`,
    {
      schema: {
        operationId: operation('listErrors'),
        tags,
        summary: 'List the rows that failed',
        description: 'In the order of the file, the first 100,000 of them.',
        params,
        querystring: closed(pageParameters),
        response: { 200: pageOf(ImportError) },
      },
      config: read,
    },
    async (request) =>
      readErrors(deps.sql, request.caller.workspaceId, { id: request.params.id, query: request.query }),
  )

  app.get(
    `${base}/:id/errors.csv`,
    {
      schema: {
        operationId: operation('downloadErrors'),
        tags,
        summary: 'Download the rows that failed',
        description:
          'The columns `line` and `error`, then those of the file, so that it can be corrected and imported again.',
        params,
        response: { 200: csvAnswer('The rows that failed.') },
      },
      config: { ...read, deadlineMs: DOWNLOAD_DEADLINE_MS },
    },
    async (request, reply) => {
      const { workspaceId } = request.caller
      const row = await readImport(deps.sql, workspaceId, request.params.id)
      const file = Readable.from(errorsFile(deps.sql, workspaceId, row))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="import-${row.id}-errors.csv"`)
        .send(file as never)
    },
  )
}
