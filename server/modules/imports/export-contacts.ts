import type pg from 'pg'
import { csvLines } from '../../platform/csv/csv-lines.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { type FindDeps, findContacts } from '../contacts/find-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'
import { formerKeys } from '../custom-fields/former-keys.ts'
import { EXPORT_KEPT_MS } from './create-export.ts'
import { valuesOf } from './export-columns.ts'
import {
  addExported,
  CHUNK_CONTACTS,
  contactsToExportStatement,
  type ExportKey,
  type ExportRow,
  exportByIdStatement,
  exportForChange,
  markExportEnded,
  noteExported,
  restartExport,
} from './export-queries.ts'
import { appendChunk, createFile, discardFile } from './stored-files.ts'

/** Since it was asked for. Where people are erased faster than the rest of them is written, it would never end. */
const BEGUN_AGAIN_MS_MAX = HOUR_MS

export type ExportJobDeps = FindDeps & {
  /** Whether the run should end after the slice it is at. */
  shouldYield: () => boolean
}

/**
 * The job `export_contacts`: notes whom the filter finds, then writes the file, a slice a transaction. It may die at any
 * moment and run twice: each piece of the file is committed together with how far the export has come.
 */
export async function exportContacts(deps: ExportJobDeps, key: ExportKey): Promise<'done' | 'more'> {
  const size = new StepSize(CHUNK_CONTACTS)
  const work = async (tx: Transaction, contacts: number) => {
    const row = await exportForChange(tx, key)
    if (row?.state !== 'running') return 'done'
    if (row.fileId === null) return beginAgain(tx, key, row)
    return row.gathered ? writeSlice(tx, row, { key, fileId: row.fileId, contacts }) : 'more'
  }
  for (;;) {
    const [found] = await queryInScope(deps.pool, key.workspaceId, exportByIdStatement(key.workspaceId, key.id))
    if (found?.state !== 'running') return 'done'
    if (!found.gathered && found.fileId !== null) await gather(deps, key, found)
    else if ((await boundedStep(deps.pool, key.workspaceId, { size, work })) === 'done') return 'done'
    if (deps.shouldYield()) return 'more'
  }
}

/** An erasure takes the file away, whoever is in it: another one is written, of the people who are still there. */
async function beginAgain(tx: Transaction, key: ExportKey, { createdAt }: ExportRow): Promise<'done' | 'more'> {
  if (Date.parse(createdAt) < Date.now() - BEGUN_AGAIN_MS_MAX)
    return endExport(tx, key, 'People were erased all the while, and what was written of the file went with them.')
  const fileId = await createFile(tx, key.workspaceId, { kind: 'export', keptMs: EXPORT_KEPT_MS })
  await restartExport(tx, key, fileId)
  return 'more'
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

async function gather(deps: ExportJobDeps, key: ExportKey, row: ExportRow): Promise<void> {
  const { workspaceId, id } = key
  const readFilter = async (tx: Transaction) => {
    const [now = row] = (await tx.query(exportByIdStatement(workspaceId, id))).rows
    return JSON.parse(now.filter) as ContactFilter
  }
  const found = await findContacts(deps, { workspaceId, readFilter, chunkMax: CHUNK_CONTACTS })
  await inTransaction(deps.pool, key.workspaceId, (tx) => noteExported(tx, key, found))
}

type Writing = { key: ExportKey; fileId: string; contacts: number }

async function writeSlice(
  tx: Transaction,
  row: ExportRow,
  { key, fileId, contacts }: Writing,
): Promise<'done' | 'more'> {
  const columns = JSON.parse(row.columns) as string[]
  const filtered = row.filter !== '{}'
  const at = { filtered, afterId: row.lastContactId, limit: contacts }
  const { rows: members } = await tx.query(contactsToExportStatement(key, at))
  const former = await formerKeys(tx, key.workspaceId)
  const lines = members.flatMap(({ contact }) => (contact === null ? [] : [valuesOf(contact, columns, former)]))
  const data = Buffer.from(csvLines(row.chunks === 0 ? [columns, ...lines] : lines))
  if (members.length > 0 || data.length > 0) {
    await appendChunk(tx, { workspaceId: key.workspaceId, fileId }, { number: row.chunks, data })
    const lastContactId = members.at(-1)?.memberId ?? row.lastContactId
    await addExported(tx, key, { rows: lines.length, bytes: data.length, lastContactId })
  }
  return members.length === 0 ? endExport(tx, key, null) : 'more'
}
