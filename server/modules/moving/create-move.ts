import { limitReached, unprocessable } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { COMMON_PROBLEMS, Problem } from '../../platform/problem.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { UPLOAD_QUOTA } from '../imports/create-import.ts'
import { createFile, dropFile, keepFile, storeFile } from '../imports/stored-files.ts'
import { FORESEEN } from './foresee.ts'
import { MovingError } from './moved.ts'
import { NOTHING_MOVED } from './moved-so-far.ts'
import { keyRow, type MovingDeps, RUN_MOVE } from './moving-deps.ts'
import { insertMove, keepKey, type MoveRow, type NewMove, underWayStatement } from './queries.ts'
import type { MoveBody } from './schemas.ts'
import { addressOf, type FileSourceName, serviceOf } from './sources.ts'

/** Pages that were read are kept for a week, to be looked at and brought in. */
export const KEPT_MS = 7 * DAY_MS
/** Half of what a workspace may have uploaded at once. */
const UPLOAD_BYTES_MAX = 512 * 1024 * 1024
/** One that breaks off with the process is gone sooner. */
const ARRIVING_KEPT_MS = HOUR_MS

/** Begins to read a service by its API. Throws 422 for an address that may not be asked, 409 where another move is under way. */
export async function createMove(deps: MovingDeps, caller: Caller, body: MoveBody): Promise<MoveRow> {
  const { source, key } = body
  const address = await addressFor(deps, body)
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const row = await begin(tx, caller, { source, address, uploadId: null })
    await keepKey(
      tx,
      { workspaceId: caller.workspaceId, id: row.id },
      deps.secrets.seal(key, keyRow({ workspaceId: caller.workspaceId, id: row.id })),
    )
    return row
  })
}

async function addressFor({ judgeUrl }: MovingDeps, { source, address: given, key }: MoveBody): Promise<string> {
  try {
    const address = addressOf(source, { given, key })
    const judgement = await judgeUrl(address)
    if (judgement.outcome === 'refused') throw unprocessable([{ pointer: '/address', detail: judgement.message }])
    return address
  } catch (error) {
    if (!(error instanceof MovingError)) throw error
    throw unprocessable([{ pointer: source === 'mailchimp' ? '/key' : '/address', detail: error.message }])
  }
}

export type MoveUpload = { source: FileSourceName; content: AsyncIterable<Buffer> }

/** Begins to read a file that a service exported. Throws 413 for too large a one, 409 as above or where there is no room for it. */
export async function createMoveOfFile(
  deps: MovingDeps,
  caller: Caller,
  { source, content }: MoveUpload,
): Promise<MoveRow> {
  const { workspaceId } = caller
  // Told before half an hour of uploading; the constraint says it again.
  if ((await queryInScope(deps.sql, workspaceId, underWayStatement(workspaceId))).length > 0) throw otherUnderWay()
  const fileId = await storeFile(deps.sql, workspaceId, {
    ...{ content: atMost(content, UPLOAD_BYTES_MAX), keptMs: ARRIVING_KEPT_MS, quota: UPLOAD_QUOTA },
  })
  return inTransaction(deps.sql, workspaceId, (tx) =>
    begin(tx, caller, { source, address: null, uploadId: fileId }),
  ).catch(async (error: unknown) => {
    await dropFile(deps.sql, { workspaceId, fileId })
    throw error
  })
}

async function* atMost(content: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of content) {
    bytes += piece.length
    if (bytes > bytesMax) throw new Problem(COMMON_PROBLEMS.bodyTooLarge)
    yield piece
  }
}

async function begin(
  tx: Transaction,
  caller: Caller,
  given: Pick<NewMove, 'source' | 'address' | 'uploadId'>,
): Promise<MoveRow> {
  const { workspaceId, actor, requestId, ip, userAgent } = caller
  const fileId = await createFile(tx, workspaceId, { kind: 'upload', keptMs: KEPT_MS })
  if (given.uploadId !== null) await keepFile(tx, { workspaceId, fileId: given.uploadId }, KEPT_MS)
  const startedBy = { workspaceId, actor, requestId, ip, userAgent }
  const row = await insertMove(tx, workspaceId, {
    ...{ ...given, fileId, foreseen: FORESEEN, moved: NOTHING_MOVED, startedBy },
  }).catch(underWay)
  await recordAudit(tx, caller, {
    action: 'move.create',
    target: { type: 'move', id: row.id, name: serviceOf(given.source).name },
  })
  await enqueue(tx, RUN_MOVE, { workspaceId, moveId: row.id })
  return row
}

/** A workspace moves from one place at a time. */
export function underWay(error: unknown): never {
  throw brokenConstraint(error) === 'moves_under_way' ? otherUnderWay() : error
}

const otherUnderWay = () => limitReached('Another move is under way: wait until it is done, or cancel it.')
