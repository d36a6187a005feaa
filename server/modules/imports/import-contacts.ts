import { StringDecoder } from 'node:string_decoder'
import type pg from 'pg'
import { readRecords } from '../../platform/csv/csv-records.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { topicsByName } from '../topics/topics-named.ts'
import { endImport } from './end-import.ts'
import { importSlice, type Slice, settingsOf, starterOf } from './import-slice.ts'
import { compileMapping, type MappedRow } from './map-row.ts'
import { countFailedRun, type ImportRow, importForChange, oldestRunningStatement } from './queries.ts'
import { readFile } from './stored-files.ts'

/** Rows a transaction: enough that its fixed costs do not show, few enough that a batch or a cancel waits a moment only. */
export const SLICE_ROWS = 1_000
/** Rows so wide that they are more text than this make a slice by themselves. */
const SLICE_CHARS_MAX = 4 * 1024 * 1024

export type ImportJobDeps = {
  pool: pg.Pool
  /** Whether the run should end after the slice it is at. */
  shouldYield: () => boolean
}

/**
 * The job `import_contacts` of a workspace: imports its running imports, oldest first, slice after slice. It may die at any
 * moment and run twice: a slice is one transaction together with the place in the file where the next one begins.
 */
export async function importContacts(deps: ImportJobDeps, workspaceId: string): Promise<'done' | 'more'> {
  for (;;) {
    const [row] = await queryInScope(deps.pool, workspaceId, oldestRunningStatement(workspaceId))
    if (!row) return 'done'
    const key = { workspaceId, id: row.id }
    for await (const slice of slicesOf(deps.pool, workspaceId, row)) {
      if (slice === 'gone') {
        await failImport(deps.pool, key, 'The file was removed before all of it was imported.')
        break
      }
      if ((await importSlice(deps, key, slice)) === 'left') break
      if (deps.shouldYield()) return 'more'
    }
  }
}

/** A run that fails begins again behind the last slice; so many without one more slice, about ten minutes, are the end. */
const FAILED_RUNS_MAX = 12

/** Notes that a run of the job failed, and gives the import up when that happens again and again. */
export async function noteFailedRun(pool: pg.Pool, workspaceId: string): Promise<void> {
  const [row] = await queryInScope(pool, workspaceId, oldestRunningStatement(workspaceId))
  if (!row) return
  const key = { workspaceId, id: row.id }
  const failedRuns = await inTransaction(pool, workspaceId, (tx) => countFailedRun(tx, key))
  if (failedRuns >= FAILED_RUNS_MAX) await failImport(pool, key, 'It failed again and again for a reason on our side.')
}

/** Gives an import up; what is imported stays. */
async function failImport(pool: pg.Pool, key: { workspaceId: string; id: string }, failure: string) {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const row = await importForChange(tx, key.workspaceId, key.id)
    if (row?.state === 'running') await endImport(tx, starterOf(row), { row, ending: { state: 'failed', failure } })
  })
}

async function* slicesOf(pool: pg.Pool, workspaceId: string, row: ImportRow): AsyncGenerator<Slice | 'gone'> {
  const { mapping, consent, formats } = settingsOf(row)
  const topics = await inTransaction(pool, workspaceId, (tx) => topicsByName(tx, workspaceId))
  const mapRow = compileMapping(JSON.parse(row.columns), mapping, { consent, formats, topics })
  const fileBytes = Number(row.storedBytes)
  const chunks = readFile(pool, { workspaceId, fileId: row.fileId ?? '0' }, Number(row.nextByte))
  const decoder = new StringDecoder('utf8')
  let text = ''
  let readBytes = Number(row.nextByte)
  let nextByte = readBytes
  let nextLine = Number(row.nextLine)
  for (;;) {
    const final = readBytes === fileBytes
    const part = readRecords(text, { delimiter: row.delimiter, recordsMax: SLICE_ROWS, final })
    const isLast = final && part.chars >= text.length
    const isFull = part.records.length === SLICE_ROWS || (part.chars > 0 && text.length >= SLICE_CHARS_MAX)
    if (isFull || isLast) {
      const fromByte = nextByte
      nextByte = isLast ? fileBytes : fromByte + Buffer.byteLength(text.slice(0, part.chars))
      const records = part.records.map((one) => ({ ...one, line: nextLine + 1 + one.line }))
      nextLine += part.lines
      text = text.slice(part.chars)
      yield { fromByte, nextByte, nextLine, isLast, ...rowsOf(records, mapRow) }
      if (isLast) return
      continue
    }
    const { value: chunk } = await chunks.next()
    if (chunk === undefined) {
      yield 'gone'
      return
    }
    readBytes += chunk.length
    text += decoder.write(chunk)
  }
}

type Mapper = (fields: readonly string[]) => MappedRow | { fault: string }

function rowsOf(records: readonly { line: number; fields: string[]; fault?: string }[], mapRow: Mapper) {
  const filled = records.filter(({ fields }) => fields.some((value) => value.trim() !== ''))
  return {
    rows: filled.map(({ line, fields, fault }) => ({
      line,
      values: fields,
      mapped: fault === undefined ? mapRow(fields) : { fault },
    })),
    skipped: records.length - filled.length,
  }
}
