import type pg from 'pg'
import { csvLines } from '../../platform/csv/csv-lines.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { contactsThatFit, type FilterDeps } from '../contacts/list-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'
import { valuesOf } from './export-columns.ts'
import {
  addExported,
  contactsToExportStatement,
  type ExportKey,
  type ExportRow,
  exportForChange,
  gatherContacts,
  markExportEnded,
} from './export-queries.ts'
import { appendChunk, discardFile } from './stored-files.ts'

/** Contacts a transaction, and a piece of the file. */
const SLICE_CONTACTS = 2_000

export type ExportJobDeps = FilterDeps & {
  pool: pg.Pool
  /** Whether the run should end after the slice it is at. */
  shouldYield: () => boolean
}

/**
 * The job `export_contacts`: notes whom the filter finds, then writes the file, a slice a transaction. It may die at any
 * moment and run twice: each piece of the file is committed together with how far the export has come.
 */
export async function exportContacts(deps: ExportJobDeps, key: ExportKey): Promise<'done' | 'more'> {
  for (;;) {
    const step = await inTransaction(deps.pool, key.workspaceId, async (tx) => {
      const row = await exportForChange(tx, key)
      if (row?.state !== 'running') return 'done'
      if (row.fileId === null) return endExport(tx, key, 'The file was removed before it was written.')
      return row.gathered ? writeSlice(tx, row, { key, fileId: row.fileId }) : gather(deps, tx, { key, row })
    })
    if (step === 'done') return 'done'
    if (deps.shouldYield()) return 'more'
  }
}

/** Gives an export up; what is written goes. */
export async function failExport(pool: pg.Pool, key: ExportKey, failure: string): Promise<void> {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const row = await exportForChange(tx, key)
    if (row?.state !== 'running') return
    await endExport(tx, key, failure)
    if (row.fileId !== null) await discardFile(tx, { workspaceId: key.workspaceId, fileId: row.fileId })
  })
}

async function endExport(tx: Transaction, key: ExportKey, failure: string | null): Promise<'done'> {
  await markExportEnded(tx, key, { state: failure === null ? 'done' : 'failed', failure })
  return 'done'
}

type Gathering = { key: ExportKey; row: ExportRow }

async function gather(deps: FilterDeps, tx: Transaction, { key, row }: Gathering): Promise<'more'> {
  const filter = JSON.parse(row.filter) as ContactFilter
  await gatherContacts(tx, key, await contactsThatFit(deps, tx, { workspaceId: key.workspaceId, filter }))
  return 'more'
}

type Writing = { key: ExportKey; fileId: string }

async function writeSlice(tx: Transaction, row: ExportRow, { key, fileId }: Writing): Promise<'done' | 'more'> {
  const columns = JSON.parse(row.columns) as string[]
  const filtered = row.filter !== '{}'
  const at = { filtered, afterId: row.lastContactId, limit: SLICE_CONTACTS }
  const { rows: members } = await tx.query(contactsToExportStatement(key, at))
  const lines = members.flatMap(({ contact }) => (contact === null ? [] : [valuesOf(contact, columns)]))
  const data = Buffer.from(csvLines(row.chunks === 0 ? [columns, ...lines] : lines))
  if (data.length > 0) {
    await appendChunk(tx, { workspaceId: key.workspaceId, fileId }, { number: row.chunks, data })
    const lastContactId = members.at(-1)?.memberId ?? row.lastContactId
    await addExported(tx, key, { rows: lines.length, bytes: data.length, lastContactId })
  }
  return members.length < SLICE_CONTACTS ? endExport(tx, key, null) : 'more'
}
