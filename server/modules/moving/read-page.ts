import { crashPoint } from '../../platform/crash-point.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { appendChunk, discardFile, storedBytes } from '../imports/stored-files.ts'
import { type Foreseen, foresee } from './foresee.ts'
import { guardedWay } from './guarded-way.ts'
import { type MovedPage, MovingError, type ReadPage } from './moved.ts'
import { keyRow, type MovingDeps } from './moving-deps.ts'
import {
  insertParts,
  type MoveKey,
  type MoveRow,
  moveForChange,
  type NewPart,
  notePage,
  type Stage,
} from './queries.ts'
import { API_SOURCES, FILE_SOURCES, isFileSource, serviceOf } from './sources.ts'

/** All that a move may hold: some million people. */
const MOVE_BYTES_MAX = 512 * 1024 * 1024

/** The source of a move, to be read from any place on. Throws for a file that is gone, or is none of its service. */
export async function openSource(deps: MovingDeps, key: MoveKey, row: MoveRow): Promise<ReadPage> {
  const { source } = row
  if (!isFileSource(source)) {
    if (row.address === null || row.sealedKey === null) throw new MovingError('its key is gone')
    const opened = deps.secrets.open(row.sealedKey, keyRow(key))
    return API_SOURCES[source].open({ base: row.address, key: opened, way: guardedWay(deps.client) })
  }
  const content = await storedBytes(deps.pool, { workspaceId: key.workspaceId, fileId: row.uploadId ?? '0' })
  if (content.bytes === 0) throw new MovingError('its file is empty, or gone')
  return FILE_SOURCES[source].open(content)
}

type Part = NewPart & { content: Buffer }

/**
 * Reads the next page and keeps its parts, what it lets foresee and the place behind it in one transaction. One that another
 * run has read meanwhile is thrown away.
 */
export async function readNextPage(
  deps: MovingDeps,
  key: MoveKey,
  given: { row: MoveRow; read: ReadPage },
): Promise<void> {
  const { row, read } = given
  const { page, next } = await read(row.place)
  const foreseen = foresee(JSON.parse(row.foreseen) as Foreseen, page, serviceOf(row.source))
  const parts = partsOf(page)
  await inTransaction(deps.pool, key.workspaceId, async (tx) => {
    const now = await moveForChange(tx, key)
    if (now?.state !== 'reading' || now.pages !== row.pages || now.fileId === null) return
    const file = { workspaceId: key.workspaceId, fileId: now.fileId }
    for (const [n, { content }] of parts.entries())
      await appendChunk(tx, file, { number: now.parts + n, data: content })
    await insertParts(tx, key, { from: now.parts, parts })
    await notePage(tx, key, { foreseen, place: next, parts: parts.length, isOver: next === null })
    await requireRoom(tx, file)
    if (next === null && now.uploadId !== null) await discardFile(tx, { ...file, fileId: now.uploadId })
    crashPoint('move_page_before_commit')
  })
}

async function requireRoom(tx: Transaction, { workspaceId, fileId }: { workspaceId: string; fileId: string }) {
  const { rows } = await tx.query<{ bytes: string }>({
    name: 'bytes_of_move',
    text: 'select bytes from stored_files where workspace_id = $1 and id = $2',
    values: [workspaceId, fileId],
  })
  if (Number(rows[0]?.bytes ?? 0) <= MOVE_BYTES_MAX) return
  throw new MovingError(`it is more than ${MOVE_BYTES_MAX} bytes: bring it in by the command line`)
}

function partsOf(page: MovedPage): Part[] {
  const part = (kind: Stage, things: readonly object[], file: string | null = null): Part[] =>
    things.length === 0 ? [] : [{ kind, file, content: Buffer.from(JSON.stringify(things)) }]
  return [
    ...part('opt_outs', page.optOuts),
    ...page.people.flatMap((stretch) => part('people', [stretch], stretch.file)),
    ...part('templates', page.templates),
    ...part('broadcasts', page.broadcasts),
  ]
}

/** The things of a part. */
export async function contentOfPart<T>(
  { pool }: MovingDeps,
  { workspaceId }: MoveKey,
  { fileId, number }: { fileId: string | null; number: number },
): Promise<T[]> {
  const [row] = await queryInScope<{ data: Buffer }>(pool, workspaceId, {
    name: 'content_of_part',
    text: 'select data from file_chunks where workspace_id = $1 and file_id = $2 and number = $3',
    values: [workspaceId, fileId, number],
  })
  if (!row) throw new MovingError('what was read is gone: read it again')
  return JSON.parse(row.data.toString('utf8')) as T[]
}
