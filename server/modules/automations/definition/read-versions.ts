import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { type PageQuery, rowsBefore } from '../../../platform/schema/paging.ts'
import { type AutomationKey, automationByIdStatement } from './queries.ts'

type Summary = { version: number; publishedAt: string }

/** The versions of an automation, newest first. Throws 404. */
export async function readVersions(sql: pg.Pool, key: AutomationKey, page: PageQuery) {
  const [automation] = await queryInScope(sql, key.workspaceId, automationByIdStatement(key))
  if (!automation) throw notFound()
  const items = await queryInScope<Summary>(sql, key.workspaceId, {
    name: 'automation_versions_page',
    text: `select version, published_at as "publishedAt" from automation_versions
      where workspace_id = $1 and automation_id = $2 order by version desc limit $3 offset $4`,
    values: [key.workspaceId, key.id, page.pageSize, rowsBefore(page)],
  })
  const [last] = await queryInScope<{ total: number }>(sql, key.workspaceId, {
    name: 'automation_versions_total',
    text: `select coalesce(max(version), 0) as total from automation_versions where workspace_id = $1 and automation_id = $2`,
    values: [key.workspaceId, key.id],
  })
  return { items, total: last!.total }
}

/** One version; its number in decimal, as a path has it. Throws 404. */
export async function readVersion(sql: pg.Pool, key: AutomationKey, version: string) {
  const [row] = await queryInScope<Summary & { definition: string }>(sql, key.workspaceId, {
    name: 'automation_version',
    text: `select v.version, v.published_at as "publishedAt", v.definition from automation_versions v
      join automations a on a.workspace_id = v.workspace_id and a.id = v.automation_id and a.deleted_at is null
      where v.workspace_id = $1 and v.automation_id = $2 and v.version = $3::int8`,
    values: [key.workspaceId, key.id, version],
  })
  if (!row) throw notFound()
  return { ...row, definition: parseExactJson(row.definition) as Record<string, unknown> }
}
