import { Type } from 'typebox'
import { csvAnswer, nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { jsonOrCsv, takeStreams, uploadedFile } from '../../platform/http/receive-upload.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
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

const place = { path: '/suppressions', family: 'Suppressions' } as const
/** For a file of some millions of addresses to arrive, or to leave. */
const FILE_DEADLINE_MS = 1_800_000

export function suppressionRoutes(app: HttpApp, deps: SuppressionDeps, door: Door): void {
  const routes = routesOf(app, door, place)

  routes.get('', 'list', {
    needs: 'suppressions:read',
    summary: 'List suppressed addresses',
    description: 'Addresses that are mailed nothing. Ascending by id. Several filters narrow each other.',
    query: closed({ ...pageParameters, ...suppressionFilters }),
    answers: { 200: pageOf(Suppression) },
    handle: async (request) => {
      const { items, total } = await listSuppressions(deps, request.caller.workspaceId, request.query)
      return page(request.query, total, items)
    },
  })

  routes.post('', 'create', {
    needs: 'suppressions:write',
    summary: 'Suppress an address',
    description:
      'From then on it is mailed nothing, messages that already wait included. An address that is on the list stays ' +
      'as it is and is the answer.',
    body: SuppressionBody,
    answers: { 201: Suppression },
    etag: true,
    handle: async (request) => suppress(deps, request.caller, request.body),
  })

  routes.get('/:id', 'get', {
    needs: 'suppressions:read',
    summary: 'Read a suppression',
    description: 'With what the receiver said and the message it was about, where that is known.',
    answers: { 200: Suppression },
    etag: true,
    handle: async (request) => readSuppression(deps, request.caller.workspaceId, request.params.id),
  })

  routes.delete('/:id', 'delete', {
    needs: 'suppressions:write',
    summary: 'Lift a suppression',
    description: 'The address is mailed again. It is suppressed anew when it bounces or complains again.',
    answers: { 204: nothing() },
    problems: [412],
    etag: true,
    handle: async (request) => {
      await liftSuppression(deps, request.caller, { id: request.params.id, ifMatch: ifMatchOf(request) })
    },
  })

  routes.get('/export', 'export', {
    needs: 'suppressions:read',
    summary: 'Download the suppressed addresses',
    description:
      'The whole list as CSV with the columns `email`, `reason`, `detail`, `createdAt`; the import takes it as it is. ' +
      'Each download stands in the audit log.',
    answers: { 200: csvAnswer('The list.') },
    deadlineMs: FILE_DEADLINE_MS,
    handle: async (request, reply) => {
      const file = await exportSuppressions(deps, request.caller)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="suppressions.csv"')
        .send(file)
    },
  })

  importRoute(app, deps, door)
}

function importRoute(app: HttpApp, deps: SuppressionDeps, door: Door): void {
  app.register(async (scope) => {
    takeStreams(scope as HttpApp)
    routesOf(scope as HttpApp, door, place).post('/import', 'import', {
      needs: 'suppressions:write',
      summary: 'Suppress the addresses of a CSV file',
      description:
        'Up to 128 MiB as it is (`text/csv`, also with `Content-Encoding: gzip`), or a small file in JSON: a bare list ' +
        'of addresses, or a table with a column `email` and, if it has them, `reason` and `detail`; the suppression ' +
        'lists of other services are taken as they are. Rows that do not fit fail by themselves. The same file again ' +
        'changes nothing.',
      query: closed({
        reason: Type.Optional(
          oneOf(SUPPRESSION_REASONS, { description: 'Why, for rows that do not say it. manual without it.' }),
        ),
      }),
      body: jsonOrCsv(SuppressionImportBody),
      answers: { 200: SuppressionImport },
      problems: [413],
      deadlineMs: FILE_DEADLINE_MS,
      handle: async ({ caller, query, body, headers }) => {
        const content = uploadedFile(body, headers['content-encoding'])
        return importSuppressions(deps, caller, { content, reason: query.reason ?? 'manual' })
      },
    })
  })
}
