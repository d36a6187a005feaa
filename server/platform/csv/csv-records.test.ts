import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
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

const value = fc.string({ unit: fc.constantFrom('a', 'é', ',', ';', '"', '\n', '\r', ' ', '👩'), maxLength: 6 })
const table = fc.array(fc.array(value, { minLength: 2, maxLength: 4 }), { maxLength: 12 })

test('whatever csv-stringify writes is read back, as csv-parse reads it', () => {
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t'), fc.boolean(), (rows, delimiter, windows) => {
      const text = stringify(rows, {
        delimiter,
        record_delimiter: windows ? 'windows' : 'unix',
        quoted_match: /[\r\n]/,
      })
      assert.deepEqual(fieldsOf(text, delimiter), rows)
      const peer = parse(text, { delimiter, relax_column_count: true, record_delimiter: windows ? '\r\n' : '\n' })
      assert.deepEqual(rows, peer)
    }),
    { numRuns: 1_000 },
  )
})

test('read in any pieces, from any record on, any text gives the same records', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.infiniteStream(fc.nat(8)), fc.integer({ min: 1, max: 3 }), (whole, pieces, recordsMax) => {
      const found: CsvRecord[] = []
      let pending = ''
      let line = 0
      let given = 0
      while (given < whole.length || pending !== '') {
        const { value: size } = pieces.next()
        pending += whole.slice(given, given + size)
        given += size
        const final = given >= whole.length
        const part = readRecords(pending, { delimiter: ',', recordsMax, final })
        found.push(...part.records.map((record) => ({ ...record, line: record.line + line })))
        pending = pending.slice(part.chars)
        line += part.lines
        if (final && part.chars === 0) assert.equal(pending, '')
      }
      assert.deepEqual(found, read(whole))
    }),
    { numRuns: 3_000 },
  )
})
