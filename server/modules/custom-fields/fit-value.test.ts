import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldType, fitValue, inferType } from './fit-value.ts'

const big = JSON.rawJSON('9007199254740993')
const fitted = (type: FieldType, value: unknown) => JSON.stringify(fitValue(type, value)?.value)

test('the first value of a key tells its type', () => {
  const types = [1, big, true, '2026-11-21T03:10:40Z', '2026-11-21T05:10:40+02:00', '2026-11-21', '42', [], {}].map(
    inferType,
  )
  assert.deepEqual(types, ['number', 'number', 'boolean', 'datetime', 'datetime', 'date', 'string', 'string', 'string'])
})

test('a number is one, or the digits of one as JSON writes them', () => {
  for (const [given, stored] of [
    [42, '42'],
    [big, '9007199254740993'],
    ['42', '42'],
    ['-0.5e3', '-500'],
    ['9007199254740993', '9007199254740993'],
    ['0.12345678901234567890123', '0.12345678901234567890123'],
  ] as const) {
    assert.equal(fitted('number', given), stored)
  }
  for (const none of [
    '',
    '007',
    '1.',
    '.5',
    '+1',
    ' 1',
    '0x10',
    'NaN',
    'Infinity',
    '1e9999',
    '1'.repeat(301),
    true,
    null,
    [1],
    {},
  ]) {
    assert.equal(fitValue('number', none), undefined, JSON.stringify(none))
  }
})

test('a boolean is one, or its word in any case', () => {
  for (const yes of [true, 'true', 'TRUE', 'True']) assert.equal(fitted('boolean', yes), 'true')
  for (const no of [false, 'false', 'FALSE']) assert.equal(fitted('boolean', no), 'false')
  for (const none of [0, 1, '1', 'yes', '', null, []]) assert.equal(fitValue('boolean', none), undefined)
})

test('a datetime is an RFC 3339 timestamp, kept as the same moment in UTC', () => {
  assert.equal(fitted('datetime', '2026-11-21T05:10:40.5+02:00'), '"2026-11-21T03:10:40.5Z"')
  for (const [given, stored] of [
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['2026-11-21 09:15', '2026-11-21T09:15:00Z'],
    ['2026-11-21T09:15:42.5', '2026-11-21T09:15:42.5Z'],
  ] as const) {
    assert.equal(fitted('datetime', given), `"${stored}"`)
  }
  for (const none of [
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '--12-24',
    '2026-11-21 25:00',
    'tomorrow',
    17,
    true,
    null,
  ]) {
    assert.equal(fitValue('datetime', none), undefined)
  }
})

test('a date is a day of the calendar, for birthdays also of any year, or a moment that begins one', () => {
  for (const [given, stored] of [
    ['1980-12-24', '1980-12-24'],
    ['--02-29', '--02-29'],
    ['2024-02-29', '2024-02-29'],
    ['1980-12-24T02:00:00+02:00', '1980-12-24'],
  ] as const) {
    assert.equal(fitted('date', given), `"${stored}"`)
  }
  for (const none of [
    '2023-02-29',
    '--02-30',
    '0000-01-01',
    '24.12.1980',
    '1980-12-24T01:00:00Z',
    '',
    19801224,
    null,
  ]) {
    assert.equal(fitValue('date', none), undefined, String(none))
  }
})

test('a string is text, a number digit by digit, or a boolean; a list is none', () => {
  assert.deepEqual(
    [42, big, true, ' x '].map((value) => fitted('string', value)),
    ['"42"', '"9007199254740993"', '"true"', '" x "'],
  )
  for (const none of [null, [], {}, ['a']]) assert.equal(fitValue('string', none), undefined)
})
