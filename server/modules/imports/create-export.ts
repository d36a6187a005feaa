import type pg from 'pg'
import { limitReached, notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { contactsThatFit, type FilterDeps } from '../contacts/list-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'
import { holdTagOfFilter } from '../tags/hold-tags.ts'
import { EXPORT_COLUMNS, isExportColumn } from './export-columns.ts'
import {
  countRunning,
  customFieldKeysStatement,
  type ExportRow,
  exportByIdStatement,
  insertExport,
} from './export-queries.ts'
import { CUSTOM } from './mapping.ts'
import { countFiles, createFile, readFile } from './stored-files.ts'

/** A finished file can be downloaded for a week. */
export const EXPORT_KEPT_MS = 7 * DAY_MS
/** Exports of a workspace that are written at once, and files of them that it keeps. */
const RUNNING_MAX = 3
const KEPT_MAX = 50

export const EXPORT_CONTACTS = jobKind<{ workspaceId: string; exportId: string }>({
  kind: 'export_contacts',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

export type ExportDeps = FilterDeps & { sql: pg.Pool }

/** Starts an export of the contacts that fit. Throws 422 for columns or a segment that are not there, 409 for one too many. */
export async function createExport(
  deps: ExportDeps,
  caller: Caller,
  body: { filter?: ContactFilter; columns?: string[] },
): Promise<ExportRow> {
  const { workspaceId, actor, requestId, ip, userAgent } = caller
  const filter = body.filter ?? {}
  const faults = (body.columns ?? []).flatMap((column, n) =>
    isExportColumn(column)
      ? []
      : [{ pointer: `/columns/${n}`, detail: `must be one of ${EXPORT_COLUMNS.join(', ')}, custom:<key>` }],
  )
  if (faults.length > 0) throw unprocessable(faults)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await holdTagOfFilter(tx, workspaceId, filter)
    await requireRoom(tx, workspaceId)
    const sets = await contactsThatFit(deps, tx, { workspaceId, filter })
    const { rows: keys } = await tx.query(customFieldKeysStatement(workspaceId))
    const columns = body.columns ?? [...EXPORT_COLUMNS, ...keys.map(({ key }) => `${CUSTOM}${key}`)]
    const fileId = await createFile(tx, workspaceId, { kind: 'export', keptMs: EXPORT_KEPT_MS })
    const startedBy: AuditOrigin = { workspaceId, actor, requestId, ip, userAgent }
    const created = await insertExport(tx, workspaceId, {
      fileId,
      filter,
      columns,
      startedBy,
      gathered: sets.length === 0,
    })
    await enqueue(tx, EXPORT_CONTACTS, { workspaceId, exportId: created.id })
    await recordAudit(tx, caller, {
      action: 'contact.export',
      target: { type: 'contact_export', id: created.id, name: null },
      diff: {
        columns: { from: null, to: columns },
        ...Object.fromEntries(Object.keys(filter).map((name) => [name, 'changed' as const])),
      },
    })
    return created
  })
}

async function requireRoom(tx: Transaction, workspaceId: string): Promise<void> {
  if ((await countRunning(tx, workspaceId)) >= RUNNING_MAX)
    throw limitReached(`A workspace may have ${RUNNING_MAX} exports written at once: wait until one is done.`)
  if ((await countFiles(tx, workspaceId, 'export')) >= KEPT_MAX)
    throw limitReached(`A workspace may keep ${KEPT_MAX} files of exports: wait until some are a week old.`)
}

/** Throws 404. */
export async function readExport(sql: pg.Pool, workspaceId: string, id: string): Promise<ExportRow> {
  const [row] = await queryInScope(sql, workspaceId, exportByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** The file of an export that is done, and whose doing it is that it leaves. Throws 404, and 422 when there is none. */
export async function openExport(deps: { sql: pg.Pool }, caller: Caller, id: string): Promise<AsyncGenerator<Buffer>> {
  const { workspaceId } = caller
  const row = await readExport(deps.sql, workspaceId, id)
  const { fileId } = row
  if (row.state !== 'done') throw unprocessable([{ pointer: '/state', detail: `is ${row.state}, not done` }])
  if (fileId === null) throw expired()
  const pieces = readFile(deps.sql, { workspaceId, fileId })
  // Looked for before the answer begins: a file that went away meanwhile can still be told so.
  const first = await pieces.next()
  if (first.done && row.bytes !== '0') throw expired()
  await inTransaction(deps.sql, workspaceId, (tx) =>
    recordAudit(tx, caller, { action: 'contact_export.download', target: { type: 'contact_export', id, name: null } }),
  )
  return wholeFile(first.done ? [] : [first.value], { rest: pieces, bytes: Number(row.bytes) })
}

const expired = () => unprocessable([{ pointer: '/state', detail: 'the file has expired' }])

/** A file that is removed while it is sent must not look like a whole one. */
async function* wholeFile(
  begun: readonly Buffer[],
  { rest, bytes }: { rest: AsyncIterable<Buffer>; bytes: number },
): AsyncGenerator<Buffer> {
  let sent = 0
  for (const piece of begun) {
    sent += piece.length
    yield piece
  }
  for await (const piece of rest) {
    sent += piece.length
    yield piece
  }
  if (sent !== bytes) throw new Error('the file was removed while it was sent')
}
