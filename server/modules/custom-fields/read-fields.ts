import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type FieldRow, fieldByIdStatement, fieldsPageStatement, type SiteFieldRow } from './field-queries.ts'
import { lastRetypeStatement, type RetypeRow } from './rewrite-queries.ts'

export async function listFields(sql: pg.Pool, workspaceId: string, query: PageQuery & { key?: string }) {
  const rows = await queryInScope(sql, workspaceId, fieldsPageStatement(workspaceId, query))
  const items = rows.filter((row): row is { total: string } & SiteFieldRow => row.id !== null)
  return { items, total: Number(rows[0]?.total ?? 0) }
}

/** Throws 404 for a field that is not in the workspace. */
export async function readField(sql: pg.Pool, workspaceId: string, id: string): Promise<FieldRow> {
  const [row] = await queryInScope(sql, workspaceId, fieldByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** How far the last retype of a field is, and what it found. Throws 404, also when there was none. */
export async function readRetype(sql: pg.Pool, workspaceId: string, fieldId: string) {
  const [row] = await queryInScope(sql, workspaceId, lastRetypeStatement(workspaceId, fieldId))
  return shownRetype(row)
}

/** Throws 404 where there is none. */
export function shownRetype(row: RetypeRow | undefined) {
  if (!row) throw notFound()
  return {
    ...row,
    state: row.finishedAt === null ? ('running' as const) : ('finished' as const),
    examined: Number(row.examined),
    fitting: Number(row.fitting),
    unfit: Number(row.unfit),
    samples: parseExactJson(row.samples) as { contactId: string; value: unknown }[],
  }
}
