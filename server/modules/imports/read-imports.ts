import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { csvLine } from '../../platform/csv/csv-lines.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, page } from '../../platform/schema/paging.ts'
import type { Column } from './csv-shape.ts'
import { settingsOf } from './import-slice.ts'
import {
  errorsAfterStatement,
  errorsPageStatement,
  type ImportRow,
  importByIdStatement,
  importByNameStatement,
  importsPageStatement,
  importsTotalStatement,
} from './queries.ts'
import type { Import } from './schemas.ts'

/**
 * A column as it stays when its file is gone, or was looked at by an earlier version: its name, and the format that the
 * import was started with.
 */
function columnOf(column: Pick<Column, 'name' | 'samples'>, formats: Import['formats']): Import['columns'][number] {
  const told = formats !== null && Object.hasOwn(formats, column.name) ? formats[column.name] : undefined
  return { format: told ?? 'text', isSure: true, readings: {}, ...column }
}

/** The import as every surface answers it. */
export function importOf(row: ImportRow): Import {
  const settings = row.settings === null ? null : settingsOf(row)
  const formats = settings && (settings.formats ?? {})
  return {
    id: row.id,
    state: row.state,
    fileName: row.fileName,
    bytes: Number(row.bytes),
    encoding: row.encoding,
    delimiter: row.delimiter,
    columns: (JSON.parse(row.columns) as Column[]).map((column) => columnOf(column, formats)),
    suggestedMapping: JSON.parse(row.suggestedMapping),
    mapping: settings?.mapping ?? null,
    tags: settings?.tags ?? [],
    topicIds: settings?.topicIds ?? [],
    consent: settings?.consent ?? null,
    mode: settings && (settings.mode ?? 'fill'),
    formats,
    rows: {
      total: Number(row.rowsTotal),
      read: Number(row.rowsRead),
      created: Number(row.rowsCreated),
      updated: Number(row.rowsUpdated),
      unchanged: Number(row.rowsUnchanged),
      failed: Number(row.rowsFailed),
      skipped: Number(row.rowsSkipped),
    },
    failure: row.failure,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    updatedAt: row.updatedAt,
  }
}

export async function readImports(sql: pg.Pool, workspaceId: string, query: PageQuery) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, importsPageStatement(workspaceId, query)),
    queryInScope(sql, workspaceId, importsTotalStatement(workspaceId)),
  ])
  return page(query, Number(totals[0]?.total ?? 0), rows.map(importOf))
}

/** Throws 404. */
export async function readImport(sql: pg.Pool, workspaceId: string, id: string): Promise<ImportRow> {
  const [row] = await queryInScope(sql, workspaceId, importByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** The newest import of a file of this name. */
export async function importNamed(sql: pg.Pool, workspaceId: string, fileName: string): Promise<ImportRow | undefined> {
  const [row] = await queryInScope(sql, workspaceId, importByNameStatement(workspaceId, fileName))
  return row
}

/** The rows that failed, in the order of the file. Throws 404. */
export async function readErrors(sql: pg.Pool, workspaceId: string, { id, query }: { id: string; query: PageQuery }) {
  const row = await readImport(sql, workspaceId, id)
  const rows = await queryInScope(sql, workspaceId, errorsPageStatement({ workspaceId, id }, query))
  const items = rows.map((one) => ({ ...one, line: Number(one.line) }))
  return page(query, Number(row.errorsKept), items)
}

const ERRORS_AT_ONCE = 1_000

/** The same as a CSV file: the line, what is wrong, and the row as it was, to be corrected and imported again. */
export async function* errorsFile(sql: pg.Pool, workspaceId: string, row: ImportRow): AsyncGenerator<string> {
  const columns = (JSON.parse(row.columns) as { name: string }[]).map(({ name }) => name)
  yield csvLine(['line', 'error', ...columns])
  for (let line = '0'; ; ) {
    const rows = await queryInScope(
      sql,
      workspaceId,
      errorsAfterStatement({ workspaceId, id: row.id }, line, ERRORS_AT_ONCE),
    )
    yield rows.map((one) => csvLine([one.line, one.error, ...one.values])).join('')
    if (rows.length < ERRORS_AT_ONCE) return
    line = rows.at(-1)!.line
  }
}
