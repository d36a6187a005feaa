import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import {
  templateByIdStatement,
  templatesPageStatement,
  templatesTotalStatement,
  versionOfStatement,
  versionsPageStatement,
  versionsTotalStatement,
} from './queries.ts'
import type { Template, TemplateVersion } from './schemas.ts'

export async function readTemplates(
  sql: pg.Pool,
  workspaceId: string,
  { search = null, ...page }: PageQuery & { search?: string | null },
) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, templatesPageStatement(workspaceId, search, page)),
    queryInScope(sql, workspaceId, templatesTotalStatement(workspaceId, search)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for a template that is not in the workspace. */
export async function readTemplate(sql: pg.Pool, workspaceId: string, id: string): Promise<Template> {
  const [row] = await queryInScope(sql, workspaceId, templateByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** Its versions, newest first. Throws 404 for a template that is not in the workspace. */
export async function readVersions(sql: pg.Pool, workspaceId: string, { id, ...page }: PageQuery & { id: string }) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, versionsPageStatement(workspaceId, id, page)),
    queryInScope(sql, workspaceId, versionsTotalStatement(workspaceId, id)),
  ])
  const total = Number(totals[0]?.total ?? 0)
  if (total === 0) throw notFound()
  return { items, total }
}

/** Throws 404 for a version that is not there; its number in decimal, as a path has it. */
export async function readVersion(
  sql: pg.Pool,
  workspaceId: string,
  ref: { id: string; version: string },
): Promise<TemplateVersion> {
  const [row] = await queryInScope(sql, workspaceId, versionOfStatement(workspaceId, ref.id, ref.version))
  if (!row) throw notFound()
  return row
}
