import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { ImportDeps } from './import-deps.ts'
import { type Ending, type ImportRow, importForChange, markEnded } from './queries.ts'
import { clearFiles, discardFile } from './stored-files.ts'

/** Ends an import whose row the transaction holds: its file goes, its counts stay and stand in the audit log. */
export async function endImport(
  tx: Transaction,
  origin: AuditOrigin,
  { row, ending }: { row: ImportRow; ending: Ending },
): Promise<ImportRow> {
  const { workspaceId } = origin
  const ended = await markEnded(tx, { workspaceId, id: row.id }, ending)
  if (row.fileId !== null) await discardFile(tx, { workspaceId, fileId: row.fileId })
  const count = (rows: string) => ({ from: null, to: Number(rows) })
  await recordAudit(tx, origin, {
    action: 'contact.import',
    target: { type: 'contact_import', id: row.id, name: row.fileName },
    diff: {
      state: { from: row.state, to: ended.state },
      created: count(ended.rowsCreated),
      updated: count(ended.rowsUpdated),
      unchanged: count(ended.rowsUnchanged),
      failed: count(ended.rowsFailed),
    },
  })
  return { ...ended, fileId: null }
}

/** Stops an import between two slices of rows: what is imported stays. Throws 404, and 422 when it has ended already. */
export async function cancelImport(deps: ImportDeps, caller: Caller, id: string): Promise<ImportRow> {
  const canceled = await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const row = await importForChange(tx, caller.workspaceId, id)
    if (!row) throw notFound()
    if (row.state !== 'uploaded' && row.state !== 'running') {
      throw unprocessable([{ pointer: '/state', detail: `is ${row.state} already` }])
    }
    return await endImport(tx, caller, { row, ending: { state: 'canceled', failure: null } })
  })
  await clearFiles(deps.sql, caller.workspaceId)
  return canceled
}
