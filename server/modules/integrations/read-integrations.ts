import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type IntegrationRow, integrationOf } from './integration-of.ts'
import type { IntegrationKey } from './integration-secrets.ts'
import {
  type IntegrationFilter,
  integrationByIdStatement,
  integrationsPageStatement,
  integrationsTotalStatement,
} from './queries.ts'
import type { Integration } from './schemas.ts'

export async function readIntegrations(
  sql: pg.Pool,
  workspaceId: string,
  { filter, page }: { filter: IntegrationFilter; page: PageQuery },
): Promise<{ items: Integration[]; total: number }> {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, integrationsPageStatement(workspaceId, filter, page)),
    queryInScope(sql, workspaceId, integrationsTotalStatement(workspaceId, filter)),
  ])
  return { items: rows.map(integrationOf), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for an integration that is not in the workspace. */
export async function readIntegration(sql: pg.Pool, key: IntegrationKey): Promise<IntegrationRow> {
  const [row] = await queryInScope(sql, key.workspaceId, integrationByIdStatement(key))
  if (!row) throw notFound()
  return row
}
