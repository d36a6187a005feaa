import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction, type Queryable, queryInScope } from '../../platform/db/transaction.ts'

/** An uploaded file is in pieces of this size, but for the last: byte n is in piece ⌊n / CHUNK_BYTES⌋. */
export const CHUNK_BYTES = 1_048_576

export type FileKey = { workspaceId: string; fileId: string }

/** The id of a new, empty file, which is gone after `keptMs` unless something removes it before. */
export async function createFile(tx: Queryable, workspaceId: string, keptMs: number): Promise<string> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'create_stored_file',
    text: `insert into stored_files (workspace_id, expires_at)
      values ($1, now() + $2::float8 * interval '1 millisecond') returning id`,
    values: [workspaceId, keptMs],
  })
  return rows[0]!.id
}

export async function appendChunk(
  tx: Queryable,
  file: FileKey,
  chunk: { number: number; data: Buffer },
): Promise<void> {
  await tx.query({
    name: 'append_file_chunk',
    text: 'insert into file_chunks (workspace_id, file_id, number, data) values ($1, $2, $3, $4)',
    values: [file.workspaceId, file.fileId, chunk.number, chunk.data],
  })
}

/** Removes a file; whatever names it then has none. */
export async function deleteFile(tx: Queryable, file: FileKey): Promise<void> {
  await tx.query({
    name: 'delete_stored_file',
    text: 'delete from stored_files where workspace_id = $1 and id = $2',
    values: [file.workspaceId, file.fileId],
  })
}

/** The bytes of a file from a byte on, a piece at a time. Ends early when the file is removed meanwhile. */
export async function* readFile(pool: pg.Pool, file: FileKey, fromByte = 0): AsyncGenerator<Buffer> {
  let skip = fromByte % CHUNK_BYTES
  for (let number = Math.floor(fromByte / CHUNK_BYTES); ; number++) {
    const [row] = await queryInScope<{ data: Buffer }>(pool, file.workspaceId, {
      name: 'read_file_chunk',
      text: 'select data from file_chunks where workspace_id = $1 and file_id = $2 and number = $3',
      values: [file.workspaceId, file.fileId, number],
    })
    if (!row) return
    yield row.data.subarray(skip)
    skip = 0
  }
}

/**
 * Stores what comes in, a piece a transaction: a slow sender holds no transaction open. Answers the file's id; when the
 * sender breaks off, nothing stays.
 */
export async function storeFile(
  pool: pg.Pool,
  workspaceId: string,
  input: { content: AsyncIterable<Buffer>; keptMs: number },
): Promise<string> {
  const fileId = await inTransaction(pool, workspaceId, (tx) => createFile(tx, workspaceId, input.keptMs))
  const file = { workspaceId, fileId }
  try {
    let number = 0
    for await (const data of inChunks(input.content)) {
      const chunk = { number: number++, data }
      await inTransaction(pool, workspaceId, (tx) => appendChunk(tx, file, chunk))
    }
    return fileId
  } catch (error) {
    // A file that cannot be removed now expires.
    await inTransaction(pool, workspaceId, (tx) => deleteFile(tx, file)).catch(() => undefined)
    throw error
  }
}

async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of content) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes < CHUNK_BYTES) continue
    const whole = Buffer.concat(pieces)
    let at = 0
    for (; whole.length - at >= CHUNK_BYTES; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES)
    pieces = [whole.subarray(at)]
    bytes = whole.length - at
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}

/** Each may be a quarter of a gigabyte. */
const EXPIRED_AT_ONCE = 10
const EXPIRE_TIMEOUT_MS = 30_000

/** Removes files whose time has come, of every workspace; answers how many. */
export async function deleteExpiredFiles(pool: pg.Pool): Promise<number> {
  const deleted = await queryInScope(pool, ALL_WORKSPACES, {
    text: `delete from stored_files where (workspace_id, id) in (
        select workspace_id, id from stored_files where expires_at < now() order by expires_at limit ${EXPIRED_AT_ONCE})
      returning id`,
    query_timeout: EXPIRE_TIMEOUT_MS,
  })
  return deleted.length
}
