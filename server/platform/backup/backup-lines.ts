const NEWLINE = 0x0a
/** As COPY's own files have it: no row is this line, for a backslash in a value is written twice. */
export const END_OF_ROWS = Buffer.from('\\.\n')
/** Far above every line that is not a row; one that is longer was not written by us. */
const LINE_BYTES_MAX = 64 * 1024 * 1024

/** A line of JSON, whole rows with their number, or the line that ends them. */
export type Piece =
  | { kind: 'line'; bytes: Buffer }
  | { kind: 'rows'; bytes: Buffer; rows: number }
  | { kind: 'rowsEnd'; bytes: Buffer }

/** A line that opens the rows of a table. */
const OPENS_ROWS = Buffer.from('{"table":')

/** The pieces of a backup's text, whatever chunks it comes in. Nothing of it is left out, the rest behind the last newline too. */
export async function* piecesOf(text: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const rest = new Unended()
  let inRows = false
  for await (const chunk of text) {
    // Every piece ends with a newline: without one there is none, however long the row is that goes on.
    rest.add(chunk)
    if (!chunk.includes(NEWLINE) && (inRows || rest.length <= LINE_BYTES_MAX)) continue
    let bytes = rest.take()
    for (;;) {
      const piece: Piece | undefined = inRows ? rowsOf(bytes) : lineOf(bytes)
      if (piece === undefined) break
      if (piece.kind !== 'rows') inRows = piece.kind === 'line' && piece.bytes.indexOf(OPENS_ROWS) === 0
      bytes = bytes.subarray(piece.bytes.length)
      yield piece
    }
    rest.add(bytes)
  }
  if (rest.length > 0) yield { kind: 'line', bytes: rest.take() }
}

/** Chunks without a newline, put together once. */
class Unended {
  #chunks: Buffer[] = []
  length = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.length += chunk.length
  }

  take(): Buffer {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.length = 0
    return bytes
  }
}

function lineOf(bytes: Buffer): Piece | undefined {
  const end = bytes.indexOf(NEWLINE)
  if (end === -1 && bytes.length > LINE_BYTES_MAX) return { kind: 'line', bytes }
  return end === -1 ? undefined : { kind: 'line', bytes: bytes.subarray(0, end + 1) }
}

/** As many whole rows as there are, up to the line that ends them. */
function rowsOf(bytes: Buffer): Piece | undefined {
  if (bytes.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return { kind: 'rowsEnd', bytes: END_OF_ROWS }
  const marked = bytes.indexOf('\n\\.\n')
  const end = marked === -1 ? bytes.lastIndexOf(NEWLINE) : marked
  if (end === -1) return undefined
  const rows = bytes.subarray(0, end + 1)
  return { kind: 'rows', bytes: rows, rows: linesIn(rows) }
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines
}
