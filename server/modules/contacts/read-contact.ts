import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { shownContactOf } from './contact-of.ts'
import { shownContactStatement } from './queries.ts'

/** A contact as every surface answers it. Throws 404 for one that is not in the workspace. */
export async function readContact(sql: pg.Pool, workspaceId: string, id: string) {
  const [row] = await queryInScope(sql, workspaceId, shownContactStatement(workspaceId, id))
  if (!row) throw notFound()
  return shownContactOf(row)
}
