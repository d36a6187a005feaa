import type pg from 'pg'
import { limitReached } from '../../catalogue/problems.ts'
import type { ByteSource } from '../../platform/bytes/byte-source.ts'
import { int8Array } from '../../platform/db/arrays.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import {
  inTransaction,
  type Queryable,
  queryInScope,
  type Scope,
  type Transaction,
} from '../../platform/db/transaction.ts'
import { DAY_MS } from '../../platform/durations.ts'

/** A file that nobody starts to import is kept for a week, and one that somebody starts for a week from then. */
export const UPLOAD_KEPT_MS = 7 * DAY_MS
/** An uploaded file is in pieces of this size, but for the last: byte n is in piece ⌊n / CHUNK_BYTES⌋. */
export const CHUNK_BYTES = 1_048_576

export type FileKey = { workspaceId: string; fileId: string }

/** Files of a kind that a workspace may have at once, and their bytes together. */
export type Quota = { files: number; bytes: number }

/**
 * The id of a new, empty file, which is gone after `keptMs` unless something removes it before. Nobody who was erased before
 * is in what is read for it behind this: an erasure that is under way is waited for (`holdFiles`).
 */
export async function createFile(
  tx: Queryable,
  workspaceId: string,
  { kind, keptMs }: { kind: 'upload' | 'export'; keptMs: number },
): Promise<string> {
  await lockFiles(tx, workspaceId)
  const { rows } = await tx.query<{ id: string }>({
    name: 'create_stored_file',
    text: `insert into stored_files (workspace_id, kind, expires_at, made_at)
      values ($1, $2, now() + $3::float8 * interval '1 millisecond', clock_timestamp()) returning id`,
    values: [workspaceId, kind, keptMs],
  })
  return rows[0]!.id
}

/** Keeps a file for so long from now on. */
export async function keepFile(tx: Queryable, { workspaceId, fileId }: FileKey, keptMs: number): Promise<void> {
  await tx.query({
    name: 'keep_stored_file',
    text: `update stored_files set expires_at = now() + $3::float8 * interval '1 millisecond'
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, fileId, keptMs],
  })
}

/** The same of a file whose time is not over; false when it is, or when the file is being removed: that is not waited for. */
export async function keepLongEnough(
  tx: Queryable,
  { workspaceId, fileId }: FileKey,
  keptMs: number,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'keep_stored_file_long_enough',
    text: `update stored_files set expires_at = now() + $3::float8 * interval '1 millisecond'
      where workspace_id = $1 and id = any (array(select id from stored_files
        where workspace_id = $1 and id = $2 and expires_at > now() for no key update skip locked))`,
    values: [workspaceId, fileId, keptMs],
  })
  return rowCount === 1
}

async function lockFiles(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'lock_stored_files',
    text: `select pg_advisory_xact_lock(hashtextextended('stored_files', $1::bigint))`,
    values: [workspaceId],
  })
}

/**
 * Keeps new files of the workspace waiting until the transaction ends, so that none is made of what it takes away. Before any row is locked:
 * who makes one has none that this waits for.
 */
export async function holdFiles(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'hold_stored_files',
    text: `select pg_advisory_xact_lock_shared(hashtextextended('stored_files', $1::bigint))`,
    values: [workspaceId],
  })
}

/** Of these files those that were made before a moment, or nobody knows when. */
export async function filesMadeBefore(
  tx: Queryable,
  workspaceId: string,
  { fileIds, before }: { fileIds: readonly string[]; before: string | null },
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'files_made_before',
    text: `select id from stored_files where workspace_id = $1 and id = any ($2::int8[]) and (made_at < $3) is not false`,
    values: [workspaceId, int8Array(fileIds), before],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Locks out others who make a file of the workspace, and answers how many of a kind it has. */
export async function countFiles(tx: Queryable, workspaceId: string, kind: 'upload' | 'export'): Promise<number> {
  await lockFiles(tx, workspaceId)
  const { rows } = await tx.query<{ files: number }>({
    name: 'count_stored_files',
    text: `select count(*)::int as files from stored_files where workspace_id = $1 and kind = $2 and expires_at > now()`,
    values: [workspaceId, kind],
  })
  return rows[0]!.files
}

export async function appendChunk(
  tx: Queryable,
  file: FileKey,
  chunk: { number: number; data: Buffer },
): Promise<void> {
  await tx.query({
    name: 'append_file_chunk',
    text: `with grown as (
        update stored_files set bytes = bytes + length($4::bytea) where workspace_id = $1 and id = $2
      )
      insert into file_chunks (workspace_id, file_id, number, data) values ($1, $2, $3, $4::bytea)`,
    values: [file.workspaceId, file.fileId, chunk.number, chunk.data],
  })
}

/**
 * Takes a file away from whatever names it. Its pieces, of a quarter of a gigabyte perhaps, go by `clearFiles`, at the
 * latest by the schedule `expire_files`.
 */
export async function discardFile(tx: Queryable, { workspaceId, fileId }: FileKey): Promise<void> {
  const values = [workspaceId, fileId]
  await tx.query({
    name: 'take_file_from_exports',
    text: 'update exports set file_id = null where workspace_id = $1 and file_id = $2',
    values,
  })
  await tx.query({
    name: 'take_file_from_imports',
    text: 'update imports set file_id = null where workspace_id = $1 and file_id = $2',
    values,
  })
  await tx.query({
    name: 'discard_stored_file',
    text: 'update stored_files set expires_at = now() where workspace_id = $1 and id = $2',
    values,
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

/** A file to be read from any place on, a piece at a time; of one that is gone no bytes. */
export async function storedBytes(pool: pg.Pool, file: FileKey): Promise<ByteSource> {
  const [row] = await queryInScope<{ bytes: string }>(pool, file.workspaceId, {
    name: 'bytes_of_stored_file',
    text: 'select bytes from stored_files where workspace_id = $1 and id = $2',
    values: [file.workspaceId, file.fileId],
  })
  return { bytes: Number(row?.bytes ?? 0), from: (at) => readFile(pool, file, at) }
}

/**
 * Stores an upload while it comes in, a piece a transaction: a slow sender holds no transaction open. Answers the file's
 * id; when the sender breaks off, nothing stays. Throws 409 where the workspace has no room for it by its quota.
 */
export async function storeFile(
  pool: pg.Pool,
  workspaceId: string,
  input: { content: AsyncIterable<Buffer>; keptMs: number; quota: Quota },
): Promise<string> {
  const { content, keptMs, quota } = input
  const fileId = await inTransaction(pool, workspaceId, async (tx) => {
    if ((await countFiles(tx, workspaceId, 'upload')) >= quota.files) throw tooMuchKept(quota)
    return createFile(tx, workspaceId, { kind: 'upload', keptMs })
  })
  const file = { workspaceId, fileId }
  try {
    let number = 0
    for await (const data of inChunks(content)) {
      const chunk = { number: number++, data }
      await inTransaction(pool, workspaceId, async (tx) => {
        await appendChunk(tx, file, chunk)
        if ((await bytesUploaded(tx, workspaceId)) > quota.bytes) throw tooMuchKept(quota)
      })
    }
    return fileId
  } catch (error) {
    await dropFile(pool, file)
    throw error
  }
}

async function bytesUploaded(tx: Queryable, workspaceId: string): Promise<number> {
  const { rows } = await tx.query<{ bytes: string }>({
    name: 'bytes_uploaded',
    text: `select coalesce(sum(bytes), 0) as bytes from stored_files
      where workspace_id = $1 and kind = 'upload' and expires_at > now()`,
    values: [workspaceId],
  })
  return Number(rows[0]!.bytes)
}

const MEBIBYTE = 1_048_576

const tooMuchKept = ({ files, bytes }: Quota) =>
  limitReached(
    `A workspace may have ${files} uploaded files of ${Math.floor(bytes / MEBIBYTE)} MiB together: import or delete some.`,
  )

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

/** Pieces that one step removes, of a megabyte at most: 2 ms each. */
const PIECES_PER_STEP = 64

/** Discards a file and removes it, as far as that goes now: the rest is done by the schedule. */
export async function dropFile(pool: pg.Pool, file: FileKey): Promise<void> {
  await inTransaction(pool, file.workspaceId, (tx) => discardFile(tx, file))
    .then(() => clearFiles(pool, file.workspaceId))
    .catch(() => undefined)
}

/**
 * Removes the files whose time has come or that were discarded, of a workspace or of all, some pieces at a time. Stops
 * early when told to.
 */
export async function clearFiles(pool: pg.Pool, scope: Scope, isOver: () => boolean = () => false): Promise<void> {
  const size = new StepSize(PIECES_PER_STEP)
  const work = clearSome
  while (!isOver() && (await boundedStep(pool, scope, { size, work })));
}

/** Removes the next pieces of a file, and with the last of them the file. False when there is none to remove. */
export async function clearSome(tx: Transaction, pieces: number): Promise<boolean> {
  const { rows } = await tx.query<FileKey>({
    name: 'next_file_to_clear',
    text: `select workspace_id as "workspaceId", id as "fileId" from stored_files where expires_at <= now()
      order by expires_at limit 1 for update skip locked`,
  })
  const [file] = rows
  if (!file) return false
  // Before the first piece goes: nobody begins to read half a file.
  await discardFile(tx, file)
  const { rowCount } = await tx.query({
    name: 'clear_file_pieces',
    text: `delete from file_chunks where workspace_id = $1 and file_id = $2 and number = any (array(
        select number from file_chunks where workspace_id = $1 and file_id = $2 order by number limit $3))`,
    values: [file.workspaceId, file.fileId, pieces],
  })
  if ((rowCount ?? 0) < pieces) {
    await tx.query({
      name: 'clear_file',
      text: 'delete from stored_files where workspace_id = $1 and id = $2',
      values: [file.workspaceId, file.fileId],
    })
  }
  return true
}
