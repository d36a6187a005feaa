import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shapeOf } from './csv-shape.ts'

test('a column whose first values have a mistake among them can still be read as what the others are', () => {
  const rows = ['24.12.1980;1.234,50', '31.02.1990;abc', '01.02.1975;99,00', ...Array(17).fill('03.04.1980;7,5')]
  const shape = shapeOf(`Geburtstag;Umsatz\n${rows.join('\n')}\n`, true)
  assert.ok('columns' in shape)
  assert.deepEqual(
    shape.columns.map(({ format, readings }) => [format, readings]),
    [
      ['date_dmy', { date_dmy: ['1980-12-24', '31.02.1990', '1975-02-01'] }],
      ['number_comma', { number_comma: ['1234.5', 'abc', '99'] }],
    ],
  )
})
