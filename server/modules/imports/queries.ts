import type pg from 'pg'
import type { Encoding } from '../../platform/csv/to-utf8.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { ALL_WORKSPACES, type Queryable, type Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import type { UpsertMode } from '../contacts/schemas.ts'
import type { ColumnFormat } from './column-format.ts'
import type { Column, Delimiter } from './csv-shape.ts'
import type { DeclaredConsent } from './map-row.ts'
import type { Mapping } from './mapping.ts'
import type { Import } from './schemas.ts'

export type ImportSettings = {
  mapping: Mapping
  tags: string[]
  topicIds: string[]
  consent: DeclaredConsent
  mode: UpsertMode
  formats: Record<string, ColumnFormat>
}

/** An import as the database gives it. */
export type ImportRow = {
  id: string
  state: Import['state']
  fileId: string | null
  fileName: string | null
  bytes: string
  storedBytes: string
  encoding: Encoding
  delimiter: Delimiter
  /** JSON. */
  columns: string
  suggestedMapping: string
  settings: string | null
  tagIds: string
  startedBy: string | null
  rowsTotal: string
  rowsRead: string
  rowsCreated: string
  rowsUpdated: string
  rowsUnchanged: string
  rowsFailed: string
  rowsSkipped: string
  errorsKept: string
  nextByte: string
  nextLine: string
  failure: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  updatedAt: string
}

const COLUMNS = `i.id, i.state, i.file_id as "fileId", i.file_name as "fileName", i.bytes, i.stored_bytes as "storedBytes", i.encoding, i.delimiter,
  i.columns, i.suggested_mapping as "suggestedMapping", i.settings, i.tag_ids as "tagIds", i.started_by as "startedBy",
  i.rows_total as "rowsTotal", i.rows_read as "rowsRead", i.rows_created as "rowsCreated",
  i.rows_updated as "rowsUpdated", i.rows_unchanged as "rowsUnchanged", i.rows_failed as "rowsFailed", i.rows_skipped as "rowsSkipped",
  i.errors_kept as "errorsKept", i.next_byte as "nextByte", i.next_line as "nextLine", i.failure,
  i.created_at as "createdAt", i.started_at as "startedAt", i.ended_at as "endedAt", i.updated_at as "updatedAt"`

export type NewImport = {
  fileId: string
  fileName: string | null
  bytes: number
  storedBytes: number
  encoding: Encoding
  delimiter: Delimiter
  columns: readonly Column[]
  suggestedMapping: Mapping
  rowsTotal: number
  nextByte: number
  nextLine: number
}

export async function insertImport(tx: Queryable, workspaceId: string, given: NewImport): Promise<ImportRow> {
  const { rows } = await tx.query<ImportRow>({
    name: 'insert_import',
    text: `insert into imports as i (workspace_id, file_id, file_name, bytes, stored_bytes, encoding, delimiter, columns,
        suggested_mapping, rows_total, next_byte, next_line)
      values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9::json, $10, $11, $12) returning ${COLUMNS}`,
    values: [
      workspaceId,
      given.fileId,
      given.fileName,
      given.bytes,
      given.storedBytes,
      given.encoding,
      given.delimiter,
      JSON.stringify(given.columns),
      JSON.stringify(given.suggestedMapping),
      given.rowsTotal,
      given.nextByte,
      given.nextLine,
    ],
  })
  return rows[0]!
}

export function importByIdStatement(workspaceId: string, id: string): Statement<ImportRow> {
  return {
    name: 'import_by_id',
    text: `select ${COLUMNS} from imports i where i.workspace_id = $1 and i.id = $2`,
    values: [workspaceId, id],
  }
}

/** The newest of a name. */
export function importByNameStatement(workspaceId: string, fileName: string): Statement<ImportRow> {
  return {
    name: 'import_by_name',
    text: `select ${COLUMNS} from imports i where i.workspace_id = $1 and i.file_name = $2 order by i.id desc limit 1`,
    values: [workspaceId, fileName],
  }
}

/** The row, locked until the transaction ends. */
export async function importForChange(tx: Queryable, workspaceId: string, id: string): Promise<ImportRow | undefined> {
  const { rows } = await tx.query<ImportRow>({
    name: 'import_for_change',
    text: `select ${COLUMNS} from imports i where i.workspace_id = $1 and i.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** The import of a workspace that is the next to go on. */
export function oldestRunningStatement(workspaceId: string): Statement<ImportRow> {
  return {
    name: 'oldest_running_import',
    text: `select ${COLUMNS} from imports i where i.workspace_id = $1 and i.state = 'running' order by i.id limit 1`,
    values: [workspaceId],
  }
}

export function importsPageStatement(workspaceId: string, page: PageQuery): Statement<ImportRow> {
  return {
    name: 'imports_page',
    text: `select ${COLUMNS} from imports i where i.workspace_id = $1 order by i.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function importsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'imports_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'imports'`,
    values: [workspaceId],
  }
}

export type ImportKey = { workspaceId: string; id: string }

export async function markStarted(
  tx: Queryable,
  key: ImportKey,
  given: { settings: ImportSettings; startedBy: AuditOrigin },
): Promise<ImportRow> {
  const { rows } = await tx.query<ImportRow>({
    name: 'start_import',
    text: `update imports i set state = 'running', settings = $3::json, started_by = $4::json, started_at = now(),
        updated_at = now()
      where i.workspace_id = $1 and i.id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, JSON.stringify(given.settings), JSON.stringify(given.startedBy)],
  })
  return rows[0]!
}

/** The counts that a slice of rows adds to an import, and where the next slice begins. */
export type Progress = {
  read: number
  created: number
  updated: number
  unchanged: number
  failed: number
  skipped: number
  errorsKept: number
  nextByte: number
  nextLine: number
}

export async function addProgress(tx: Queryable, key: ImportKey, progress: Progress): Promise<void> {
  await tx.query({
    name: 'add_import_progress',
    text: `update imports set rows_read = rows_read + $3, rows_created = rows_created + $4,
        rows_updated = rows_updated + $5, rows_failed = rows_failed + $6, rows_skipped = rows_skipped + $7,
        errors_kept = errors_kept + $8, next_byte = $9, next_line = $10, failed_runs = 0, updated_at = now(),
        rows_total = greatest(rows_total, rows_read + $3), rows_unchanged = rows_unchanged + $11
      where workspace_id = $1 and id = $2`,
    values: [
      key.workspaceId,
      key.id,
      progress.read,
      progress.created,
      progress.updated,
      progress.failed,
      progress.skipped,
      progress.errorsKept,
      progress.nextByte,
      progress.nextLine,
      progress.unchanged,
    ],
  })
}

/** Counts a run that failed; answers how many did one after the other. */
export async function countFailedRun(tx: Queryable, key: ImportKey): Promise<number> {
  const { rows } = await tx.query<{ failedRuns: number }>({
    name: 'count_failed_import_run',
    text: `update imports set failed_runs = failed_runs + 1 where workspace_id = $1 and id = $2
      returning failed_runs as "failedRuns"`,
    values: [key.workspaceId, key.id],
  })
  return rows[0]?.failedRuns ?? 0
}

export type Ending = { state: 'done' | 'failed' | 'canceled'; failure: string | null }

/** An import that is done knows how many rows it had. Samples of them go with its file. */
export async function markEnded(tx: Queryable, key: ImportKey, ending: Ending): Promise<ImportRow> {
  const { rows } = await tx.query<ImportRow>({
    name: 'end_import',
    text: `update imports i set state = $3, failure = $4, ended_at = now(), updated_at = now(),
        rows_total = case when $3 = 'done' then rows_read else rows_total end,
        columns = (select json_agg(json_build_object('name', c ->> 'name', 'samples', '[]'::json) order by n)
          from json_array_elements(columns) with ordinality as given (c, n))
      where i.workspace_id = $1 and i.id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, ending.state, ending.failure],
  })
  return rows[0]!
}

export type RowError = { line: number; error: string; values: readonly string[] }

export async function insertErrors(tx: Queryable, key: ImportKey, errors: readonly RowError[]): Promise<void> {
  if (errors.length === 0) return
  await tx.query({
    name: 'insert_import_errors',
    text: `insert into import_errors (workspace_id, import_id, line, error, fields)
      select $1, $2, line, error, array(select jsonb_array_elements_text(fields::jsonb))
      from unnest($3::int8[], $4::text[], $5::text[]) as given (line, error, fields)`,
    values: [
      key.workspaceId,
      key.id,
      int8Array(errors.map(({ line }) => String(line))),
      textArray(errors.map(({ error }) => error)),
      textArray(errors.map(({ values }) => JSON.stringify(values))),
    ],
  })
}

export type ErrorRow = { line: string; error: string; values: string[] }

export function errorsPageStatement(key: ImportKey, page: PageQuery): Statement<ErrorRow> {
  return {
    name: 'import_errors_page',
    text: `select line, error, fields as "values" from import_errors
      where workspace_id = $1 and import_id = $2 order by line limit $3 offset $4`,
    values: [key.workspaceId, key.id, page.pageSize, rowsBefore(page)],
  }
}

export function errorsAfterStatement(key: ImportKey, line: string, limit: number): Statement<ErrorRow> {
  return {
    name: 'import_errors_after',
    text: `select line, error, fields as "values" from import_errors
      where workspace_id = $1 and import_id = $2 and line > $3 order by line limit $4`,
    values: [key.workspaceId, key.id, line, limit],
  }
}

/** Failed rows are people's data: whoever has not corrected them by then will not. */
const ERRORS_KEPT_DAYS = 90
export const ERRORS_PER_STEP = 10_000

/** Forgets the next failed rows of an import; answers how many. */
export async function forgetErrorsOf(tx: Queryable, { workspaceId, id }: ImportKey, rowsMax: number): Promise<number> {
  const { rows } = await tx.query<{ gone: number }>({
    name: 'forget_errors_of_import',
    text: `with gone as (
        delete from import_errors where workspace_id = $1 and import_id = $2 and line = any (array(
          select line from import_errors where workspace_id = $1 and import_id = $2 order by line limit $3))
        returning line
      ), counted as (
        update imports set errors_kept = greatest(0, errors_kept - (select count(*) from gone))
        where workspace_id = $1 and id = $2
      )
      select count(*)::int as gone from gone`,
    values: [workspaceId, id, rowsMax],
  })
  return rows[0]!.gone
}

export async function deleteImportRow(tx: Queryable, { workspaceId, id }: ImportKey): Promise<void> {
  await tx.query({
    name: 'delete_import',
    text: 'delete from imports where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** Forgets the failed rows of imports that ended long ago, of every workspace; answers of how many imports. */
export async function forgetOldErrors(pool: pg.Pool, isOver: () => boolean = () => false): Promise<number> {
  const size = new StepSize(ERRORS_PER_STEP)
  for (let forgotten = 0; ; ) {
    const [step] = await boundedStep(pool, ALL_WORKSPACES, { size, work: forgetSomeErrors })
    if (step?.isLast) forgotten++
    if (!step || isOver()) return forgotten
  }
}

/** The next failed rows of the first of these imports; no row when there is none. */
async function forgetSomeErrors(tx: Transaction, rowsMax: number): Promise<{ isLast: boolean }[]> {
  const { rows } = await tx.query<{ isLast: boolean }>({
    name: 'forget_old_import_errors',
    text: `with over as (
        select workspace_id, id from imports
        where errors_kept > 0 and ended_at < now() - make_interval(days => $1) order by workspace_id, id limit 1
      ), gone as (
        delete from import_errors where ctid = any (array(
          select e.ctid from over join import_errors e on e.workspace_id = over.workspace_id and e.import_id = over.id
          limit $2))
        returning line
      )
      update imports i set errors_kept = case when gone.rows < $2 then 0 else greatest(1, errors_kept - gone.rows) end
      from over, (select count(*) as rows from gone) gone where i.workspace_id = over.workspace_id and i.id = over.id
      returning gone.rows < $2 as "isLast"`,
    values: [ERRORS_KEPT_DAYS, rowsMax],
  })
  return rows
}
