import type pg from 'pg'
import { missingPermission, notFound, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { Problem } from '../../platform/problem.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { cancelImport } from '../imports/end-import.ts'
import { clearFiles, discardFile, filesMadeBefore, keepFile } from '../imports/stored-files.ts'
import { KEPT_MS, underWay } from './create-move.ts'
import type { MovedSoFar } from './moved-so-far.ts'
import { RUN_MOVE } from './moving-deps.ts'
import {
  type MoveKey,
  type MoveRow,
  markEnded,
  markStarted,
  moveByIdStatement,
  moveForChange,
  movesPageStatement,
  movesTotalStatement,
  waitingMoves,
} from './queries.ts'
import { serviceOf } from './sources.ts'

/** Permissions that a move takes beside the one to write contacts: it makes templates and drafts, and stops mail to addresses. */
const NEEDS = ['templates:write', 'broadcasts:write', 'suppressions:write'] as const

/** Throws 403 for somebody whose role does not include all that a move does. */
export function requireMover({ scopes }: Caller): void {
  const missing = NEEDS.find((permission) => !scopes.has(permission))
  if (missing !== undefined) throw missingPermission(missing)
}

/** Throws 404. */
export async function readMove(sql: pg.Pool, key: MoveKey): Promise<MoveRow> {
  const [row] = await queryInScope(sql, key.workspaceId, moveByIdStatement(key))
  if (!row) throw notFound()
  return row
}

/** A page, the newest first. */
export async function listMoves(sql: pg.Pool, workspaceId: string, page: PageQuery) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, movesPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, movesTotalStatement(workspaceId)),
  ])
  return { rows, total: Number(totals[0]?.total ?? 0) }
}

/** Whether a move can be brought in, or gone on with. */
export function isStartable({ state, stage, fileId }: MoveRow): boolean {
  return fileId !== null && (state === 'read' || (state === 'failed' && stage !== null))
}

/** Brings in what was read, or goes on where that failed. Throws 403, 404, 409. */
export async function startMove({ sql }: { sql: pg.Pool }, caller: Caller, id: string): Promise<MoveRow> {
  requireMover(caller)
  const { workspaceId, actor, requestId, ip, userAgent } = caller
  const key = { workspaceId, id }
  return inTransaction(sql, workspaceId, async (tx) => {
    const row = await requireMove(tx, key)
    if (!isStartable(row) || row.fileId === null) throw wrongStatus(`It is ${row.state}: there is nothing to bring in.`)
    await markStarted(tx, key, { workspaceId, actor, requestId, ip, userAgent }).catch(underWay)
    await keepFile(tx, { workspaceId, fileId: row.fileId }, KEPT_MS)
    await recordMove(tx, caller, { verb: 'start', row })
    await enqueue(tx, RUN_MOVE, { workspaceId, moveId: id })
    return requireMove(tx, key)
  })
}

/** Ends a move where it is: what has come stays, the rest is thrown away. Throws 404, 409. */
export async function cancelMove({ sql }: { sql: pg.Pool }, caller: Caller, id: string): Promise<MoveRow> {
  const key = { workspaceId: caller.workspaceId, id }
  const { row, importing } = await inTransaction(sql, key.workspaceId, async (tx) => {
    const before = await requireMove(tx, key)
    if (before.state === 'done' || before.state === 'canceled') throw wrongStatus(`It is ${before.state}.`)
    await endWaiting(tx, before, { key, failure: null })
    await recordMove(tx, caller, { verb: 'cancel', row: before })
    return { row: await requireMove(tx, key), importing: (JSON.parse(before.moved) as MovedSoFar).importing }
  })
  if (importing !== null) {
    await cancelImport({ sql }, caller, importing).catch((error: unknown) => {
      // It is over, or was deleted.
      if (!(error instanceof Problem)) throw error
    })
  }
  await clearFiles(sql, key.workspaceId)
  return row
}

/**
 * Throws away what moves that began before a moment have read and not brought in, whoever is in it: a person of a workspace is being erased.
 * Those that are being brought in go on; what they hold goes when they end.
 */
export async function discardMoves(tx: Transaction, workspaceId: string, before: string | null): Promise<void> {
  const waiting = await waitingMoves(tx, workspaceId)
  const filesOf = ({ fileId, uploadId }: MoveRow) => [fileId, uploadId].filter((id) => id !== null)
  const old = await filesMadeBefore(tx, workspaceId, { fileIds: waiting.flatMap(filesOf), before })
  for (const row of waiting.filter((one) => filesOf(one).some((id) => old.has(id)))) {
    await endWaiting(tx, row, {
      key: { workspaceId, id: row.id },
      failure: 'somebody was erased meanwhile: read it again',
    })
  }
}

async function endWaiting(tx: Transaction, row: MoveRow, { key, failure }: { key: MoveKey; failure: string | null }) {
  await markEnded(tx, key, { state: 'canceled', failure })
  for (const fileId of [row.fileId, row.uploadId]) {
    if (fileId !== null) await discardFile(tx, { workspaceId: key.workspaceId, fileId })
  }
}

async function requireMove(tx: Transaction, key: MoveKey): Promise<MoveRow> {
  const row = await moveForChange(tx, key)
  if (!row) throw notFound()
  return row
}

function recordMove(tx: Transaction, caller: Caller, { verb, row }: { verb: 'start' | 'cancel'; row: MoveRow }) {
  return recordAudit(tx, caller, {
    action: `move.${verb}`,
    target: { type: 'move', id: row.id, name: serviceOf(row.source).name },
  })
}
