import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { type CsvRecord, RECORD_CHARS_MAX, readRecords } from './csv-records.ts'

const read = (text: string, delimiter = ',') =>
  readRecords(text, { delimiter, recordsMax: Number.POSITIVE_INFINITY, final: true }).records
const fieldsOf = (text: string, delimiter = ',') => read(text, delimiter).map((record) => record.fields)

test('records are read as they were written, quotes, delimiters and line ends inside values included', () => {
  assert.deepEqual(fieldsOf('a,b\n1,"x, y"\r\n2,"say ""hi"""\n3,"two\r\nlines"\n4,'), [
    ['a', 'b'],
    ['1', 'x, y'],
    ['2', 'say "hi"'],
    ['3', 'two\r\nlines'],
    ['4', ''],
  ])
  assert.deepEqual(fieldsOf('a;b\n1;2', ';'), [
    ['a', 'b'],
    ['1', '2'],
  ])
  assert.deepEqual(fieldsOf(''), [])
  assert.deepEqual(fieldsOf('\n\r\n"",\n'), [['', '']], 'an empty line is no record')
})

test('quotes where they do not belong are text', () => {
  assert.deepEqual(fieldsOf('5" nail,a "b" c\n"x"y,"" z\n'), [
    ['5" nail', 'a "b" c'],
    ['xy', ' z'],
  ])
})

test('a record knows its line, and a quote that is never closed costs its own line only', () => {
  const long = 'x,'.repeat(RECORD_CHARS_MAX / 2)
  const text = `a,b\n"two\nlines",2\n\n3,"open\n${long}\n4,5\n`
  const lines = read(text).map(({ line, fields, fault }) => [line, fields.length, fault !== undefined])
  assert.deepEqual(lines, [
    [0, 2, false],
    [1, 2, false],
    [4, 1, true],
    [5, RECORD_CHARS_MAX / 2 + 1, false],
    [6, 2, false],
  ])
})

test('a quote that is not closed behind a quoted value with line ends shifts no line', () => {
  const lines = read('a,b,c\n1,"two\nlines","open\n4,5,6\n').map(({ line, fields, fault }) => ({ line, fields, fault }))
  const fault = 'opens a quote that is not closed'
  assert.deepEqual(lines, [
    { line: 0, fields: ['a', 'b', 'c'], fault: undefined },
    { line: 1, fields: ['1,"two'], fault },
    { line: 2, fields: ['lines","open'], fault },
    { line: 3, fields: ['4', '5', '6'], fault: undefined },
  ])
})

test('how far a quote may reach does not hang on the pieces', () => {
  const inner = 'x\n'.repeat(RECORD_CHARS_MAX / 2)
  const fits = `"${inner.slice(2)}",b${'y'.repeat(RECORD_CHARS_MAX)}\nlast\n`
  const tooFar = `"${inner}",b\nlast\n`
  for (const [text, records] of [
    [fits, 2],
    [tooFar, RECORD_CHARS_MAX / 2 + 2],
  ] as const) {
    const whole = read(text)
    assert.equal(whole.length, records)
    for (const chars of [RECORD_CHARS_MAX - 1, RECORD_CHARS_MAX, RECORD_CHARS_MAX + 2]) {
      assert.deepEqual(inPieces(text, [chars], Number.POSITIVE_INFINITY), whole)
    }
  }
})

const tableOf = (...units: string[]) => {
  const value = fc.string({ unit: fc.constantFrom('a', 'é', ',', ';', '"', '\n', ' ', '👩', ...units), maxLength: 6 })
  return fc.array(fc.array(value, { minLength: 2, maxLength: 4 }), { maxLength: 12 })
}

test('whatever csv-stringify writes is read back, as csv-parse reads it', () => {
  fc.assert(
    fc.property(tableOf('\r'), fc.constantFrom(',', ';', '\t'), fc.boolean(), (rows, delimiter, windows) => {
      const text = stringify(rows, {
        delimiter,
        record_delimiter: windows ? 'windows' : 'unix',
        quoted_match: /[\r\n]/,
      })
      assert.deepEqual(fieldsOf(text, delimiter), rows)
      const peer = parse(text, { delimiter, relax_column_count: true, record_delimiter: windows ? '\r\n' : '\n' })
      assert.deepEqual(rows, peer)
    }),
    { seed: seedFrom('CSV_SEED'), numRuns: 1_000 },
  )
})

/** The records of a text that comes in pieces of these sizes, in turns, and the lines that they were said to be on. */
function inPieces(whole: string, sizes: readonly number[], recordsMax: number): CsvRecord[] {
  const found: CsvRecord[] = []
  let from = 0
  let given = 0
  let line = 0
  for (let turn = 0; ; turn++) {
    given = Math.min(whole.length, given + sizes[turn % sizes.length]!)
    const final = given === whole.length
    const part = readRecords(whole.slice(from, given), { delimiter: ',', recordsMax, final })
    for (const record of part.records) found.push({ ...record, line: record.line + line })
    from += part.chars
    line += part.lines
    assert.equal(line, newLines(whole.slice(0, from)) + (from > whole.length ? 1 : 0))
    if (final && from >= whole.length) return found
  }
}

const newLines = (text: string) => text.split('\n').length - 1
const anyText = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é'), maxLength: 60 })

test('read in any pieces, from any record on, any text gives the same records on the same lines', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(anyText, sizes, fc.integer({ min: 1, max: 3 }), (whole, pieces, recordsMax) => {
      assert.deepEqual(inPieces(whole, pieces, recordsMax), read(whole))
    }),
    { seed: seedFrom('CSV_SEED'), numRuns: 3_000 },
  )
})

test('csv-parse finds each record on the same line', () => {
  fc.assert(
    fc.property(tableOf(), fc.infiniteStream(fc.boolean()), (rows, breaks) => {
      const lines = rows.map((row) => stringify([row], { quoted_match: /[\r\n]/ }))
      const text = lines.map((line) => (breaks.next().value ? `\n${line}` : line)).join('')
      const options = { info: true, relax_column_count: true, record_delimiter: '\n', skip_empty_lines: true } as const
      const peer = parse(text, options) as unknown as { info: { lines: number }; record: string[] }[]
      const peerLines = peer.map(({ info, record }) => ({
        fields: record,
        line: info.lines - 1 - newLines(record.join()),
      }))
      assert.deepEqual(
        read(text).map(({ line, fields }) => ({ fields, line })),
        peerLines,
      )
    }),
    { seed: seedFrom('CSV_SEED'), numRuns: 1_000 },
  )
})
