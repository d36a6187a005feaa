import { unprocessable } from '../../catalogue/problems.ts'
import { createUtf8Converter, type Encoding } from '../../platform/csv/to-utf8.ts'
import { cutText } from '../../platform/cut-text.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { COMMON_PROBLEMS, Problem } from '../../platform/problem.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdTags } from '../tags/hold-tags.ts'
import { topicsByName } from '../topics/topics-named.ts'
import { type Shape, shapeOf } from './csv-shape.ts'
import type { ImportDeps } from './import-deps.ts'
import { suggestMapping } from './mapping.ts'
import { type ImportRow, insertImport } from './queries.ts'
import { beginImport } from './start-import.ts'
import { dropFile, keepFile, type Quota, storeFile, UPLOAD_KEPT_MS } from './stored-files.ts'

/** Largest file, decompressed. */
const CSV_BYTES_MAX = 256 * 1024 * 1024
/** One that breaks off with the process is gone sooner. */
const ARRIVING_KEPT_MS = HOUR_MS
/** Files of a workspace that wait to be imported, or are: four of the largest. */
export const UPLOAD_QUOTA: Quota = { files: 50, bytes: 4 * CSV_BYTES_MAX }
/** So much of a file is looked at for its delimiter, header and samples. */
const HEAD_BYTES_MAX = 256 * 1024
const FILE_NAME_CHARS_MAX = 200

export type Upload = {
  content: AsyncIterable<Buffer>
  fileName: string | null
  start: boolean
  /** Instead of CSV_BYTES_MAX, and of UPLOAD_QUOTA. */
  bytesMax?: number
  quota?: Quota
}

/**
 * Stores a CSV file while it arrives and looks at how it is written. With `start` it is imported at once by the mapping
 * that its columns suggest. Throws 413 for too large a file, 422 for one that is no table of named columns, 409 where the
 * workspace has no room for it.
 */
export async function createImport(deps: ImportDeps, caller: Caller, upload: Upload): Promise<ImportRow> {
  const { workspaceId } = caller
  const seen = new SeenFile(upload.bytesMax ?? CSV_BYTES_MAX)
  const content = seen.passing(upload.content)
  const fileId = await storeFile(deps.sql, workspaceId, {
    content,
    keptMs: ARRIVING_KEPT_MS,
    quota: upload.quota ?? UPLOAD_QUOTA,
  })
  const shape = seen.shape()
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if ('fault' in shape) throw unprocessable([{ pointer: '/csv', detail: shape.fault }])
    const suggestedMapping = suggestMapping(shape.columns, await topicsByName(tx, workspaceId))
    const facts = { ...seen.facts(shape), suggestedMapping, fileId, fileName: nameOf(upload.fileName) }
    const goneTags = upload.start ? await holdTags(tx, workspaceId, []) : []
    const created = await insertUpload(tx, caller, facts)
    return upload.start ? await beginImport(tx, caller, { row: created, body: {}, goneTags }) : created
  }).catch(async (error: unknown) => {
    await dropFile(deps.sql, { workspaceId, fileId })
    throw error
  })
}

async function insertUpload(tx: Transaction, caller: Caller, upload: Parameters<typeof insertImport>[2]) {
  const { workspaceId } = caller
  const row = await insertImport(tx, workspaceId, upload)
  await keepFile(tx, { workspaceId, fileId: upload.fileId }, UPLOAD_KEPT_MS)
  await recordAudit(tx, caller, {
    action: 'contact_import.create',
    target: { type: 'contact_import', id: row.id, name: row.fileName },
    diff: { bytes: { from: null, to: upload.bytes } },
  })
  return row
}

function nameOf(given: string | null): string | null {
  return cutText(given?.trim() ?? '', FILE_NAME_CHARS_MAX) || null
}

const QUOTE = 0x22
const LINE_END = 0x0a

/** Facts about a file that show while it passes, on its way into UTF-8. */
class SeenFile {
  #bytes = 0
  #storedBytes = 0
  #lines = 0
  #inQuotes = false
  #lastByte = LINE_END
  #head = Buffer.alloc(0)
  #encoding: Encoding = 'utf-8'
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  async *passing(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const converter = createUtf8Converter()
    for await (const piece of content) {
      this.#bytes += piece.length
      if (this.#bytes > this.#bytesMax) throw new Problem(COMMON_PROBLEMS.bodyTooLarge)
      yield this.#look(converter.convert(piece))
    }
    yield this.#look(converter.end())
    this.#encoding = converter.encoding()
  }

  shape(): Shape | { fault: string } {
    // A character or a line that the head cuts off is left out with the rest of its record.
    return shapeOf(this.#head.toString('utf8'), this.#storedBytes <= HEAD_BYTES_MAX)
  }

  facts({ delimiter, columns, headerChars, headerLines }: Shape) {
    const lines = this.#lines + (this.#lastByte === LINE_END ? 0 : 1)
    return {
      bytes: this.#bytes,
      storedBytes: this.#storedBytes,
      encoding: this.#encoding,
      delimiter,
      columns,
      rowsTotal: Math.max(0, lines - 1),
      nextByte: Math.min(this.#storedBytes, Buffer.byteLength(this.#head.toString('utf8').slice(0, headerChars))),
      nextLine: headerLines,
    }
  }

  /** Counts line ends that are not inside quotes: as many as there are rows, in a file that is well-formed. */
  #look(text: Buffer): Buffer {
    for (const byte of text) {
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes
      else if (byte === LINE_END && !this.#inQuotes) this.#lines++
    }
    this.#lastByte = text.at(-1) ?? this.#lastByte
    this.#storedBytes += text.length
    const wanted = HEAD_BYTES_MAX - this.#head.length
    if (wanted > 0) this.#head = Buffer.concat([this.#head, text.subarray(0, wanted)])
    return text
  }
}
