import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { ImportDeps } from './import-deps.ts'
import {
  deleteImportRow,
  ERRORS_PER_STEP,
  forgetErrorsOf,
  type ImportRow,
  importByIdStatement,
  importForChange,
} from './queries.ts'
import { importOf } from './read-imports.ts'
import { clearFiles, discardFile } from './stored-files.ts'

/**
 * Deletes an import with its file and its failed rows, these in steps before the rest. Throws 404, 412 when `ifMatch`
 * names an older state, 422 while it runs.
 */
export async function deleteImport(
  deps: ImportDeps,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const [found] = await queryInScope(deps.sql, workspaceId, importByIdStatement(workspaceId, id))
  requireDeletable(found, ifMatch)
  const size = new StepSize(ERRORS_PER_STEP)
  const work = (tx: Transaction, rows: number) => forgetErrorsOf(tx, key, rows)
  while ((await boundedStep(deps.sql, workspaceId, { size, work })) > 0);
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const row = await importForChange(tx, workspaceId, id)
    requireDeletable(row, ifMatch)
    if (row.fileId !== null) await discardFile(tx, { workspaceId, fileId: row.fileId })
    await deleteImportRow(tx, key)
    await recordAudit(tx, caller, {
      action: 'contact_import.delete',
      target: { type: 'contact_import', id, name: row.fileName },
    })
  })
  await clearFiles(deps.sql, workspaceId)
}

function requireDeletable(row: ImportRow | undefined, ifMatch: string | undefined): asserts row is ImportRow {
  if (!row) throw notFound()
  requireMatch(ifMatch, importOf(row))
  if (row.state === 'running') throw unprocessable([{ pointer: '/state', detail: 'is running: cancel it first' }])
}
