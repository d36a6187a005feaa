import { Readable } from 'node:stream'
import { queryInScope } from '../../platform/db/transaction.ts'
import { csvAnswer } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { page, pageOf, pageParameters } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type Door, routesOf } from '../door.ts'
import { createExport, type ExportDeps, openExport, readExport } from './create-export.ts'
import { type ExportRow, exportsPageStatement, exportsTotalStatement } from './export-queries.ts'
import { Export, ExportBody } from './export-schemas.ts'
import { DOWNLOAD_DEADLINE_MS } from './import-routes.ts'

/** The operations on exports that both surfaces offer. */
export function exportRoutes(app: HttpApp, deps: ExportDeps, door: Door): void {
  const routes = routesOf(app, door, { path: '/contacts/exports', family: 'Exports' })

  routes.post('', 'create', {
    needs: 'contacts:read',
    summary: 'Export contacts as CSV',
    description:
      'Writes a file in the background. Values that a spreadsheet would run as a formula get a quote before them, which ' +
      'an import takes away. The file can be downloaded for seven days.',
    body: ExportBody,
    answers: { 202: Export },
    problems: [409, 422],
    handle: async (request) => exportOf(await createExport(deps, request.caller, request.body)),
  })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List exports',
    description: 'Ascending by id.',
    query: closed(pageParameters),
    answers: { 200: pageOf(Export) },
    handle: async (request) => {
      const { workspaceId } = request.caller
      const [rows, totals] = await Promise.all([
        queryInScope(deps.sql, workspaceId, exportsPageStatement(workspaceId, request.query)),
        queryInScope(deps.sql, workspaceId, exportsTotalStatement(workspaceId)),
      ])
      return page(request.query, Number(totals[0]?.total ?? 0), rows.map(exportOf))
    },
  })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read an export',
    description: 'With its progress.',
    answers: { 200: Export },
    etag: true,
    handle: async (request) => exportOf(await readExport(deps.sql, request.caller.workspaceId, request.params.id)),
  })

  routes.get('/:id/file', 'download', {
    needs: 'contacts:read',
    summary: 'Download the file of an export',
    description: 'UTF-8, commas, a header row. Each download stands in the audit log.',
    answers: { 200: csvAnswer('The contacts.') },
    problems: [422],
    deadlineMs: DOWNLOAD_DEADLINE_MS,
    handle: async (request, reply) => {
      const { id } = request.params
      const file = Readable.from(await openExport(deps, request.caller, id))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="contacts-${id}.csv"`)
        .send(file)
    },
  })
}

function exportOf(row: ExportRow): Export {
  return {
    id: row.id,
    state: row.state === 'done' && row.fileId === null ? 'expired' : row.state,
    filter: JSON.parse(row.filter),
    columns: JSON.parse(row.columns),
    rows: { total: Number(row.rowsTotal), written: Number(row.rowsWritten) },
    bytes: Number(row.bytes),
    failure: row.failure,
    createdAt: row.createdAt,
    endedAt: row.endedAt,
    expiresAt: row.fileId === null ? null : row.expiresAt,
    updatedAt: row.updatedAt,
  }
}
