import { Readable } from 'node:stream'
import type pg from 'pg'
import { csvLines } from '../../platform/csv/csv-lines.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { suppressionsAfterStatement } from './queries.ts'

/** Rows read at once: what an export holds in memory. */
const ROWS_AT_ONCE = 5_000
const COLUMNS = ['email', 'reason', 'detail', 'createdAt']

/**
 * The whole list as CSV, read from the database while it is sent; an import takes it as it is. That it was taken stands
 * in the audit log.
 */
export async function exportSuppressions(deps: { sql: pg.Pool }, caller: Caller): Promise<Readable> {
  await inTransaction(deps.sql, caller.workspaceId, (tx) =>
    recordAudit(tx, caller, {
      action: 'suppression.export',
      target: { type: 'suppression', id: null, name: null },
    }),
  )
  return Readable.from(fileOf(deps.sql, caller.workspaceId))
}

async function* fileOf(sql: pg.Pool, workspaceId: string): AsyncGenerator<string> {
  yield csvLines([COLUMNS])
  let after = '0'
  for (;;) {
    const rows = await queryInScope(sql, workspaceId, suppressionsAfterStatement(workspaceId, after, ROWS_AT_ONCE))
    if (rows.length > 0)
      yield csvLines(rows.map((row) => [row.destination, row.reason, row.detail ?? '', row.createdAt]))
    after = rows.at(-1)?.id ?? after
    if (rows.length < ROWS_AT_ONCE) return
  }
}
