import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type pg from 'pg'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { AuditDeps } from './list-audit.ts'
import { entryOf, inUtc, requireAudit } from './list-audit.ts'
import { type AuditFilters, type AuditKey, type AuditRow, auditEntriesForStatement } from './queries.ts'
import { type AuditOrigin, recordAudit } from './record-audit.ts'
import type { EXPORT_FORMATS } from './schemas.ts'

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Entries read at once: what an export holds in memory. */
const ENTRIES_AT_ONCE = 1_000

export const EXPORT_MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const

const COLUMNS = [
  'id',
  'occurredAt',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'targetType',
  'targetId',
  'targetName',
  'diff',
  'requestId',
  'ip',
  'userAgent',
] as const satisfies readonly (keyof AuditRow)[]

/**
 * Every entry that the filters let through, newest first, as a file that is read from the database while it is sent.
 * That it was taken is an entry itself. 402 in the community edition.
 */
export async function exportAudit(
  deps: Pick<AuditDeps, 'sql' | 'edition'>,
  origin: AuditOrigin,
  search: AuditFilters & { format: ExportFormat },
): Promise<Readable> {
  requireAudit(deps)
  const { format, ...filters } = search
  const { workspaceId } = origin
  await inTransaction(deps.sql, workspaceId, (tx) =>
    recordAudit(tx, origin, {
      action: 'audit_log.export',
      target: { type: 'audit_log', id: null, name: null },
      diff: Object.fromEntries(Object.entries(search).map(([field, to]) => [field, { from: null, to }])),
    }),
  )
  return Readable.from(fileOf(deps.sql, workspaceId, { format, filters: inUtc(filters) }))
}

type Wanted = { format: ExportFormat; filters: AuditFilters }

async function* fileOf(sql: pg.Pool, workspaceId: string, { format, filters }: Wanted): AsyncGenerator<string> {
  if (format === 'csv') yield csvOf([[...COLUMNS]])
  let before: AuditKey | undefined
  for (;;) {
    const statement = auditEntriesForStatement({ workspaceId, filters, before, limit: ENTRIES_AT_ONCE })
    const rows = await queryInScope(sql, workspaceId, statement)
    if (rows.length > 0) yield format === 'csv' ? csvOf(rows.map(cellsOf)) : rows.map(lineOf).join('')
    before = rows.at(-1)
    if (rows.length < ENTRIES_AT_ONCE) return
  }
}

function cellsOf(row: AuditRow): string[] {
  return COLUMNS.map((column) => row[column] ?? '')
}

function lineOf(row: AuditRow): string {
  return `${JSON.stringify(entryOf(row))}\n`
}

/** Spreadsheets take a cell that begins like a formula for one: such a cell gets a quote before it. */
function csvOf(rows: string[][]): string {
  return stringify(rows, { escape_formulas: true })
}
