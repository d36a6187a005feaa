import { StringDecoder } from 'node:string_decoder'
import type pg from 'pg'
import { invalid } from '../../catalogue/problems.ts'
import { type CsvRecord, readRecords } from '../../platform/csv/csv-records.ts'
import { createUtf8Converter } from '../../platform/csv/to-utf8.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { COMMON_PROBLEMS, Problem } from '../../platform/problem.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { addSuppressions, type NewSuppression, type Reason } from './queries.ts'
import { IMPORT_ERRORS_MAX, type SuppressionImport } from './schemas.ts'
import { type FileShape, fileShapeOf, suppressionOf } from './suppression-file.ts'

/** Largest file, decompressed: some millions of addresses. */
export const FILE_BYTES_MAX = 128 * 1024 * 1024
/** Rows a transaction, so that none is long. */
const SLICE_ROWS = 5_000
/** Text that is read at once; its first part shows how the file is written. */
const SLICE_CHARS = 256 * 1024
const LINE_CHARS_MAX = 1024 * 1024

export type SuppressionFile = { content: AsyncIterable<Buffer>; reason: Reason }

/**
 * Lists the addresses of a CSV file while it arrives, a slice a transaction: what is listed stays listed when the rest
 * never comes, and the same file again changes nothing. Throws 400 for a file without addresses, 413 for too large a one.
 */
export async function importSuppressions(
  deps: { sql: pg.Pool },
  caller: Caller,
  { content, reason }: SuppressionFile,
): Promise<SuppressionImport> {
  const told: SuppressionImport = { added: 0, known: 0, failed: 0, errors: [] }
  for await (const { shape, records } of slicesOf(textOf(content))) {
    const found: NewSuppression[] = []
    for (const record of records) {
      const row = suppressionOf(record, shape, reason)
      if (!('fault' in row)) {
        found.push(row)
        continue
      }
      told.failed += 1
      if (told.errors.length < IMPORT_ERRORS_MAX) told.errors.push({ line: record.line + 1, detail: row.fault })
    }
    const added = await addSlice(deps.sql, caller, found)
    told.added += added
    told.known += found.length - added
  }
  return told
}

async function addSlice(sql: pg.Pool, caller: Caller, rows: readonly NewSuppression[]): Promise<number> {
  if (rows.length === 0) return 0
  return inTransaction(sql, caller.workspaceId, async (tx) => {
    const added = await addSuppressions(tx, caller.workspaceId, rows)
    await recordAudit(tx, caller, {
      action: 'suppression.import',
      target: { type: 'suppression', id: null, name: null },
      diff: { added: { from: null, to: added } },
    })
    return added
  })
}

/** The text of a file of any usual encoding, piece by piece; '' is the last. */
async function* textOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const converter = createUtf8Converter()
  const decoder = new StringDecoder('utf8')
  let bytes = 0
  for await (const piece of content) {
    bytes += piece.length
    if (bytes > FILE_BYTES_MAX) {
      throw new Problem(COMMON_PROBLEMS.bodyTooLarge, { detail: `The file is over ${FILE_BYTES_MAX} bytes.` })
    }
    const text = decoder.write(converter.convert(piece))
    if (text !== '') yield text
  }
  const rest = decoder.end(converter.end())
  if (rest !== '') yield rest
  yield ''
}

/** The records below the header with their lines in the file, a slice at a time. Throws a 400 for a file of another kind. */
async function* slicesOf(pieces: AsyncIterable<string>): AsyncGenerator<{ shape: FileShape; records: CsvRecord[] }> {
  let shape: FileShape | undefined
  let text = ''
  let line = 0
  const take = (delimiter: string, recordsMax: number, final: boolean): CsvRecord[] => {
    const part = readRecords(text, { delimiter, recordsMax, final })
    const records = part.records.map((record) => ({ ...record, line: record.line + line }))
    text = text.slice(part.chars)
    line += part.lines
    return records
  }
  for await (const piece of pieces) {
    text += piece
    const final = piece === ''
    // A slice is read once there is text enough for a whole one, so that small pieces make no small transactions.
    if (!final && text.length < SLICE_CHARS) continue
    if (shape === undefined) {
      shape = requireShape(text, final)
      if (shape.hasHeader) take(shape.delimiter, 1, final)
    }
    const { delimiter } = shape
    for (let records = take(delimiter, SLICE_ROWS, final); records.length > 0; ) {
      yield { shape, records }
      records = take(delimiter, SLICE_ROWS, final)
    }
    // The rest is the beginning of one line: looked at again with each piece, it may not grow with the file.
    if (text.length > LINE_CHARS_MAX)
      throw invalid([{ pointer: '', detail: `has a line of over ${LINE_CHARS_MAX} characters` }])
  }
}

function requireShape(head: string, isWhole: boolean): FileShape {
  const shape = fileShapeOf(head, isWhole)
  if ('fault' in shape) throw invalid([{ pointer: '', detail: shape.fault }])
  return shape
}
