import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Piece, piecesOf } from './backup-lines.ts'

const LONG = `${'x'.repeat(3_000_000)}\n`
const TEXT = `{"format":1}\n{"table":"a"}\n1\n2\n${LONG}3\n\\.\n{"table":"b"}\n\\.\n{"end":{}}\n{"seal":"s"}`

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('a text is the same pieces in whatever chunks it comes, a row of megabytes in short ones too', async () => {
  for (const size of [97, 4_096, 65_536, 10_000_000]) {
    const pieces: Piece[] = []
    for await (const piece of piecesOf(inChunks(TEXT, size))) pieces.push(piece)
    assert.equal(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString(), TEXT)
    const rows = pieces.reduce((sum, piece) => sum + (piece.kind === 'rows' ? piece.rows : 0), 0)
    const lines = pieces.flatMap(({ kind, bytes }) => (kind === 'line' ? [bytes.toString().trim()] : []))
    assert.equal(rows, 4)
    assert.deepEqual(lines, ['{"format":1}', '{"table":"a"}', '{"table":"b"}', '{"end":{}}', '{"seal":"s"}'])
    assert.equal(pieces.filter(({ kind }) => kind === 'rowsEnd').length, 2)
  }
})
