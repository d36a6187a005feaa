import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { csvAnswer, nothing } from '../../platform/http/answers.ts'
import { fileOfForm, isForm } from '../../platform/http/form-file.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { jsonOrCsv, takeStreams, uploadedFile } from '../../platform/http/receive-upload.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { createImport } from './create-import.ts'
import { deleteImport } from './delete-import.ts'
import { cancelImport } from './end-import.ts'
import type { ImportDeps } from './import-deps.ts'
import { errorsFile, importOf, readErrors, readImport, readImports } from './read-imports.ts'
import { Import, ImportError, ImportJsonBody, StartBody } from './schemas.ts'
import { startImport } from './start-import.ts'

const place = { path: '/contacts/imports', family: 'Imports' } as const
/** For 256 MiB to arrive and be stored. */
const UPLOAD_DEADLINE_MS = 1_800_000
export const DOWNLOAD_DEADLINE_MS = 1_800_000

/** The upload, which takes CSV besides JSON. */
export function uploadRoute(app: HttpApp, deps: ImportDeps, door: Door): void {
  app.register(async (scope) => {
    takeStreams(scope as HttpApp)
    routesOf(scope as HttpApp, door, place).post('', 'create', {
      needs: 'contacts:write',
      summary: 'Upload contacts as CSV',
      description:
        'Takes a file of up to 256 MiB as it is (`text/csv`, also with `Content-Encoding: gzip`), as the file of a form ' +
        '(`multipart/form-data`), or a small one in JSON. Its encoding, delimiter and columns are found out and a mapping is suggested; the exports of Mailchimp ' +
        'and listmonk need no other. Nothing is imported until it is started. A workspace has room for 50 files of 1 GiB ' +
        'together, until they are imported, deleted or a week old.',
      query: closed({
        start: Type.Boolean({ default: false, description: 'Start at once, by the suggested mapping.' }),
        fileName: Type.Optional(Type.String({ maxLength: 200, description: 'The name of the file.' })),
      }),
      body: jsonOrCsv(ImportJsonBody, { form: true }),
      answers: { 201: Import },
      problems: [409, 413, 422],
      deadlineMs: UPLOAD_DEADLINE_MS,
      etag: true,
      handle: async ({ caller, query, body, headers }) => {
        const type = headers['content-type']
        const isInForm = body instanceof Readable && isForm(type)
        const form = isInForm ? await fileOfForm(body, type!) : undefined
        const content = form?.content ?? uploadedFile(body, headers['content-encoding'])
        const named = form?.fileName ?? ('csv' in body ? body.fileName : undefined)
        const fileName = query.fileName ?? named ?? null
        return importOf(await createImport(deps, caller, { content, fileName, start: query.start }))
      },
    })
  })
}

/** The operations on imports that both surfaces offer. */
export function importRoutes(app: HttpApp, deps: ImportDeps, door: Door): void {
  const routes = routesOf(app, door, place)

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List imports',
    description: 'Ascending by id.',
    query: closed(pageParameters),
    answers: { 200: pageOf(Import) },
    handle: async (request) => readImports(deps.sql, request.caller.workspaceId, request.query),
  })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read an import',
    description: 'With its progress.',
    answers: { 200: Import },
    etag: true,
    handle: async (request) => importOf(await readImport(deps.sql, request.caller.workspaceId, request.params.id)),
  })

  routes.post('/:id/start', 'start', {
    needs: 'contacts:write',
    summary: 'Start an import',
    description:
      'In the background. Rows find their contacts and complete them as items of a batch do. A row that does not fit ' +
      'fails by itself.',
    body: StartBody,
    answers: { 202: Import },
    problems: [422],
    handle: async (request) => {
      const input = { id: request.params.id, body: request.body }
      return importOf(await startImport(deps, request.caller, input))
    },
  })

  routes.post('/:id/cancel', 'cancel', {
    needs: 'contacts:write',
    summary: 'Cancel an import',
    description: 'Imported contacts stay, the rest of the file is dropped.',
    answers: { 200: Import },
    problems: [422],
    handle: async (request) => importOf(await cancelImport(deps, request.caller, request.params.id)),
  })

  routes.delete('/:id', 'delete', {
    needs: 'contacts:write',
    summary: 'Delete an import',
    description: 'With its file and the rows that failed; imported contacts stay. Not while it runs: cancel it first.',
    answers: { 204: nothing() },
    problems: [412, 422],
    handle: async (request) => {
      await deleteImport(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })

  errorRoutes(app, deps, door)
}

/** The rows of an import that failed. */
function errorRoutes(app: HttpApp, deps: ImportDeps, door: Door): void {
  const routes = routesOf(app, door, place)

  routes.get('/:id/errors', 'listErrors', {
    needs: 'contacts:read',
    summary: 'List the rows that failed',
    description: 'In the order of the file, the first 100,000 of them.',
    query: closed(pageParameters),
    answers: { 200: pageOf(ImportError) },
    handle: async (request) =>
      readErrors(deps.sql, request.caller.workspaceId, { id: request.params.id, query: request.query }),
  })

  routes.get('/:id/errors.csv', 'downloadErrors', {
    needs: 'contacts:read',
    summary: 'Download the rows that failed',
    description:
      'The columns `line` and `error`, then those of the file, so that it can be corrected and imported again.',
    answers: { 200: csvAnswer('The rows that failed.') },
    deadlineMs: DOWNLOAD_DEADLINE_MS,
    handle: async (request, reply) => {
      const { workspaceId } = request.caller
      const row = await readImport(deps.sql, workspaceId, request.params.id)
      const file = Readable.from(errorsFile(deps.sql, workspaceId, row))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="import-${row.id}-errors.csv"`)
        .send(file)
    },
  })
}
